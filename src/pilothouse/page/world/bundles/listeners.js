function(...given){let exported;
(()=>{var p=/^(?!(?:button|input|select|textarea|option|script|style|link|meta|head|title|br)$)/,s=t=>p.test(t.localName)&&!(t.
localName==="a"&&t.hasAttribute("href"));var d={__proto__:null,click:!0,mousedown:!0,mouseup:!0,pointerdown:!0,pointerup:!0,touchstart:!0,touchend:!0,dblclick:!0};
function n(t){let u=getEventListeners,r="",o=0,i=l=>{for(let e of l.querySelectorAll("*")){if(!s(e))continue;if(o>=t)break;
let c=u(e);for(let a in c)if(a in d){r+=o+",";break}o++,e.shadowRoot&&i(e.shadowRoot)}};return i(document),r}exported=n;})();
return exported(...given)}
