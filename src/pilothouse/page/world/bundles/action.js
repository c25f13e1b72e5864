(()=>{var qn=Object.defineProperty;var Yn=(e,t)=>{for(var n in t)qn(e,n,{get:t[n],enumerable:!0})};var Qt={};Yn(Qt,{article:()=>un,box:()=>Te,candidates:()=>Se,choices:()=>$n,choose:()=>In,chosen:()=>Ln,copied:()=>fn,count:()=>ke,
countMatches:()=>Bn,density:()=>gn,dragEnd:()=>Ge,dragState:()=>Ke,dragWatch:()=>Ye,element:()=>k,extract:()=>ln,fileInput:()=>Ve,
filesGiven:()=>Ue,focused:()=>Be,frameOrigin:()=>Re,hasText:()=>_n,held:()=>De,images:()=>pn,insertHere:()=>Fe,inspect:()=>mn,
prepare:()=>Pe,probe:()=>Ne,scrollBy:()=>Sn,scrollEdge:()=>En,scrollIntoView:()=>Nn,scrollPoint:()=>wn,scrollStart:()=>yn,
scrollState:()=>kn,scrolled:()=>Me,stillFor:()=>Fn,storage:()=>Dn,submitter:()=>He,takeFocus:()=>We,takes:()=>_t,writeMarked:()=>dn});var{above:f,ACTED_ON:Zt,activeElement:S,areaPoints:te,arm:ee,armAround:ne,asked:st,beginNames:u,checkedHosts:rt,clip:$,comesBack:oe,
covered:it,customHost:ct,deepHit:T,dim:se,FAINT:at,focusText:lt,frameNumber:ut,freePoint:re,hidesIn:ie,identity:O,isBlank:K,
isDisabled:I,isForm:ft,isFrame:L,isShown:d,labelText:G,lands:ce,masked:ae,meetDocument:le,meetRoot:dt,nameOf:ht,numbered:P,
numberOf:pt,pane:Mt,pointsOf:ue,roleOf:fe,rootOf:p,says:J,scrolledOut:de,scrolls:he,SKIPPED:mt,space:pe,spokenRole:$t,styleOf:D,
suspect:me,tagged:v,tidy:b,unreadable:gt,upcomingNumber:y,USED_ALL:ge,USED_FADE:be,usedNow:H,veiled:W,WANTS_NAMES:xe,watchEffects:ye,
within:V}=globalThis.ph.shared;function*Kn(){let e=[document];for(;e.length;){let t=e.pop();yield t;for(let n of t.querySelectorAll("*")){let o=p(n);o&&
e.push(o)}}}function m(e){let t=[];for(let n of Kn())t.push(...n.querySelectorAll(e));return t}var Lt=3,Gn=2,Jn=1;function C(e,t,n){
let o=b(e||"");if(o===t)return Lt;if(n)return 0;let s=o.toLowerCase(),r=t.toLowerCase();return s===r?Gn:s.includes(r)?Jn:
0}function F(e,t){let n=new Map;for(let o of e){let s=t(o);s&&n.set(o,s)}return n}function It(e,t,n){let o=C(e.textContent,
t,!1);if(!o)return 0;let s=[...mt].join();if(!e.querySelector(s))return n&&o<Lt?0:o;let r=document.createTreeWalker(e,4),
i="";for(let c=r.nextNode();c;c=r.nextNode())c.parentElement.closest(s)||(i+=c.nodeValue);return C(i,t,n)}function Vn(e,t){
return F(m("*"),n=>{if(mt.has(n.localName))return 0;let s=n.localName==="input"&&/^(submit|button|reset)$/.test(n.type)?
C(n.value,e,t):It(n,e,t);if(!s)return 0;for(let r of n.children)if(!mt.has(r.localName)&&It(r,e,t))return 0;return s})}function Un(e,t){
let n=F(m(e),o=>It(o,t,!1));for(let o of n.keys())for(let s=f(o);s;s=f(s))n.delete(s);return n}var bt={button:"button,in\
put,summary,[role]",link:"a,area,[role]",textbox:"input,textarea,[contenteditable],[role]",searchbox:"input,[role]",checkbox:"\
input,[role]",radio:"input,[role]",combobox:"select,input,[role]",listbox:"select,[role]",heading:"h1,h2,h3,h4,h5,h6,[ro\
le]",img:"img,svg,[role]",image:"img,svg,[role]"};function Xn(e,t,n){if(!e)return zn(t,n);let o=s=>s===e||e==="img"&&s===
"image";return F(m(bt[e]||"*"),s=>o($t(s))?t?C(ht(s),t,n):Lt:0)}function zn(e,t){return F(m("*"),n=>{let o=C(ht(n),e,t);
return o&&2*o+(Zt.has(fe(n))?1:0)})}function Qn(e,t){return F(m("input,textarea,select,button,meter,output,progress,[con\
tenteditable],[role]"),o=>o.type==="hidden"?0:C(ht(o),e,t))}var U=e=>JSON.stringify(e),we=(e,t,n)=>F(m(e.map(o=>`[${o}]`).
join()),o=>Math.max(...e.map(s=>C(o.getAttribute(s),t,n)))),ve=/^\(?\./;function Zn(e,t){let n=new Set,o=t&&ve.test(e)?t:
[document];for(let s of o){let r=document.evaluate(e,s,null,7,null);for(let i=0;i<r.snapshotLength;i++){let c=r.snapshotItem(
i),a=c.nodeType===1?c:c.parentElement;a&&n.add(a)}}return n}function to({kind:e,value:t,name:n,exact:o},s){switch(e){case"\
css":return n?Un(t,n):m(t);case"text":return Vn(t,o);case"role":return Xn(t,n,o);case"label":return Qn(t,o);case"placeho\
lder":return we(["placeholder","aria-placeholder"],t,o);case"testid":return m(`[data-testid=${U(t)}],[data-test-id=${U(t)}\
],[data-test=${U(t)}]`);case"alt":case"title":return we([e],t,o);case"xpath":return Zn(t,s)}throw new Error(`no such kin\
d of target: ${e}`)}function X(e){let t=e.within&&new Set(z(X(e.within),e.within.nth)),n=to(e,t),o=n instanceof Map?[...n.
keys()]:[...n],s=e.kind==="xpath"&&ve.test(e.value);if(t&&!s&&(o=o.filter(l=>eo(l,t,e.relation))),!(n instanceof Map)||o.
length<2)return o;let r=l=>{let h=Math.max(...l.map(x=>n.get(x)));return l.filter(x=>n.get(x)===h)},i=r(o);if(i.length===
o.length||i.some(d))return i;let c=o.filter(d);if(!c.length)return i;let a=n.get(r(c)[0]);return o.filter(l=>n.get(l)>=a)}
function eo(e,t,n){if(n==="self"&&t.has(e))return!0;let o=f(e);if(n==="child")return o!==null&&t.has(o);for(;o;o=f(o))if(t.
has(o))return!0;return!1}function z(e,t){if(t===void 0)return e;let n=e.filter(d);return(n.length?n:e).slice(t,t===-1?void 0:
t+1)}function ke(e){u();let t=X(e);return{count:t.length,shown:t.filter(d).length}}var w=e=>{let[t,n]=O(e);return{number:pt(
e,t,n),role:t,name:$(n,80),tag:v(e)}};function Pt(e,t,n=3){let o=[],s=[],r=t.toLowerCase();for(let i of m(bt[e]||"*")){if($t(
i)!==e||!d(i))continue;let[,c]=O(i);if(c===t?o.push(i):r&&c&&no(c.toLowerCase(),r)&&s.push(i),o.length>=n)break}return[...o,
...s].slice(0,n).map(w)}var no=(e,t)=>e.includes(t)||t.includes(e)||e.slice(0,4)===t.slice(0,4);function Se(e,t){return u(),
{near:Pt(e,t),next:y()}}var oo=2e3;function Ne(e,t){u();let n=g(e);if(n.state)return n;let o=t.control?$e(n.element,t.control):n.element,r={...w(
o),next:y(),moving:!1};if(t.frame)return ho(o,t,t.frame,r);if(!(t.visible===!1||d(o)))return{...r,state:"hidden"};if(t.enabled&&
I(o))return{...r,state:"disabled"};if(t.editable&&(o.readOnly||o.getAttribute("aria-readonly")==="true"))return{...r,state:"\
readonly"};if(t.point===!1)return{...r,...xt(o),state:"ok"};let c=!/^(css|xpath|testid)$/.test(e.kind??"");return lo(o,{
...t,named:c},{...r,...xt(o)})}function Dt(e){try{return{all:X(e)}}catch(t){if(t===xe)throw t;return{state:"invalid",message:String(
t.message||t)}}}function g(e){if(e.number!==void 0)return io(e.number);let t=Dt(e);if(t.state)return t;let{all:n}=t;if(!n.
length)return{state:"missing",count:0,inFrame:so(e.within)};let o=n.length>1?n.filter(d):n;if(e.nth!==void 0){let[r]=z(n,
e.nth);return r?{element:r}:{state:"missing",count:o.length||n.length}}if(o.length>1&&(o=o.filter(r=>!o.some(i=>i!==r&&ro(
r,i)))),o.length===1)return{element:o[0]};let s=o.length?o:n;return{state:"many",count:s.length,some:s.slice(0,5).map(w),
next:y()}}var so=e=>!!e&&X(e).some(L),ro=(e,t)=>e.localName==="label"&&e.control===t;function io(e){let t=P.get(e),n=t&&
t.element.deref();if(!t)return{state:"stale",why:"unknown"};let{role:o,name:s}=t;if(!n||!n.isConnected)return{state:"sta\
le",why:"gone",role:o,name:s,near:Pt(o,s),next:y()};if(o==="iframe")return{element:n};let[r,i]=O(n);if(r===o&&i===s)return{
element:n};let c=w(n);return{state:"stale",why:"changed",role:o,name:s,near:[c],next:y()}}function xt(e){let t=e.localName===
"input"?e.type:"";return{local:e.localName,type:t,editable:e.isContentEditable,multiple:!!e.multiple,field:E(e),checked:Z(
e),focused:S()===e}}function Z(e){if(e.localName==="input"&&/^(checkbox|radio)$/.test(e.type))return e.checked;let t=e.getAttribute(
"aria-checked")||e.getAttribute("aria-pressed");return t===null?null:t==="true"}function co(e){let t=e.getBoundingClientRect(),
n=getComputedStyle(e);if(t.width>=2&&t.height>=2&&n.pointerEvents!=="none"&&n.clip==="auto"||!e.labels)return e;for(let s of e.
labels){let r=s.getBoundingClientRect();if(r.width>=2&&r.height>=2)return s}return e}function Oe(e,t){let{width:n,height:o}=Mt();
return e>=0&&t>=0&&e<n&&t<o}function ao(e,t){if(!t)return te(e)||ue(e);let n=e.getBoundingClientRect();return[[n.left+t.
x,n.top+t.y]]}function yt(e){let t=e.getBoundingClientRect();return{x:t.x,y:t.y,width:t.width,height:t.height}}function lo(e,t,n){
let o=co(e),s=Q(e,o,t.position);if(!s.point&&t.scroll!==!1){for(let l of["center","start","end"])if(o.scrollIntoView({block:l,
inline:"center",behavior:"instant"}),s=Q(e,o,t.position),s.point)break;!s.point&&Ee(o)&&(o.focus(),s=Q(e,o,t.position))}
let r=yt(o);if(!s.point){let l=Ee(o)?"unreached":s.cover?"covered":"hidden";return{...n,box:r,state:l,cover:s.cover}}let[
i,c]=s.point;t.arm&&(ee(e,t.named),ye());let a=uo(o);return{...n,box:r,state:"ok",x:i,y:c,moving:!!a,rests:!!a&&fo(a)}}function Ee(e){
if(W(e,getComputedStyle(e),ge&~be))return!0;let t=e.getBoundingClientRect();return(t.right+scrollX<=0||t.bottom+scrollY<=
0)&&!oe(e,t)}function Q(e,t,n){let o="";for(let[r,i]of ao(t,n)){if(!Oe(r,i))continue;let c=T(r,i);if(ce(e,c)||V(c,t))return{
point:[r,i]};!o&&c&&(o=v(c)+J(c))}return{point:o&&!n&&e.localName!=="area"?re(e,t):null,cover:o}}function uo(e){for(let t=e;t;t=
f(t))for(let n of t.getAnimations()){if(n.playState!=="running")continue;if((n.effect?.getKeyframes?.()||[]).some(i=>Object.
keys(i).some(c=>/^(transform|translate|left|top|right|bottom|margin|inset|width|height|scale|rotate|offset)/.test(c))))return n}
return null}function fo(e){return(e.effect.getComputedTiming().endTime-(e.currentTime||0))/Math.abs(e.playbackRate||1)<=
oo}function ho(e,t,n,o){if(!d(e))return{...o,state:"hidden"};let[s,r,i]=Ae(e,n),c=Oe(s,r)?T(s,r):null;return c===e?(t.arm&&
ne(e),{...o,state:"ok",x:s,y:r,scale:i}):t.scroll!==!1&&(!c||de(e,s,r)==="yes")?(po(e,n),{...o,state:"scrolled"}):{...o,
state:"covered",cover:c?v(c)+J(c):""}}function Ae(e,t){let n=Ce(e);return[n.x+t.x*n.scaleX,n.y+t.y*n.scaleY,n.scaleX]}function po(e,t){
for(let n=f(e);n;n=f(n)){let o=n===document.documentElement;if(!o&&(n===document.body||!he(getComputedStyle(n))))continue;
let[s,r]=Ae(e,t),i=o?{x:0,y:0,...Mt()}:n.getBoundingClientRect(),c={left:s-i.x-i.width/2,top:r-i.y-i.height/2,behavior:"\
instant"};(o?window:n).scrollBy(c)}}function Te(e){let t=g(e);return t.state?t:{...w(t.element),...yt(t.element),state:"\
ok"}}function Ce(e){let t=getComputedStyle(e),n=e.getBoundingClientRect(),o=e.offsetWidth?n.width/e.offsetWidth:1,s=e.offsetHeight?
n.height/e.offsetHeight:1,r=e.clientLeft+parseFloat(t.paddingLeft||"0"),i=e.clientTop+parseFloat(t.paddingTop||"0");return{
x:n.left+r*o,y:n.top+i*s,scaleX:o,scaleY:s}}function Re(e){let t=P.get(e)?.element.deref(),n=t?Ce(t):{x:0,y:0,scaleX:1};
return{x:n.x,y:n.y,scale:n.scaleX}}var Me=()=>({x:scrollX,y:scrollY});var mo=/^(date|time|datetime-local|month|week|range|color)$/,go=/^(button|submit|reset|image|hidden)$/,bo=/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/,
Ht=e=>(e.getAttribute("role")||"").trim().split(" ")[0];function E(e){let t=e.localName;if(t==="select")return"select";if(t===
"textarea")return"text";if(t==="input"){let{type:o}=e;return o==="checkbox"||o==="radio"?"check":o==="file"?"file":go.test(
o)?"":mo.test(o)?"assign":"text"}if(e.isContentEditable)return"rich";let n=Ht(e);return bo.test(n)?"check":n==="combobox"||
n==="listbox"||/^(listbox|menu|true)$/.test(e.getAttribute("aria-haspopup")||"")?"choice":""}var xo={field:e=>e!=="",check:(e,t)=>e===
"check"||t.hasAttribute("aria-pressed"),select:e=>e==="select"||e==="choice",file:e=>e==="file",focus:(e,t)=>e!==""||t.tabIndex>=
0};function $e(e,t){let n=r=>xo[t](E(r),r);if(n(e))return E(e)==="rich"?Ie(e):e;for(let r=e;r;r=f(r))if(r.localName==="l\
abel"&&r.control&&n(r.control))return r.control;if(e.id){let r=m(`[aria-labelledby~=${U(e.id)}]`).filter(n);if(r.length===
1)return r[0]}if(e===document.body||e===document.documentElement)return e;let o=Wt(e).filter(r=>n(r)&&yo(r)),s=t==="file"?
o:o.filter(d);return s.length===1?s[0]:e}var yo=e=>E(e)!=="rich"||Ie(e)===e;function Ie(e){let t=e;for(let n=e;n&&n.isContentEditable;n=
f(n))t=n;return t}function Wt(e){let t=[],n=[e];for(;n.length;){let o=n.pop(),s=o.nodeType===1?p(o):null;s&&n.push(s);for(let r of o.
querySelectorAll("*")){t.push(r);let i=p(r);i&&n.push(i)}}return t}var k=e=>P.get(e.number)?.element.deref()||null;function Ft(e){
let t=E(e);if(t==="check")return Z(e);if(t==="rich")return e.innerText.replace(/\n$/,"");let{value:n}=e;return n!==void 0?
String(n):G(e)}function tt(e){S()!==e&&e.focus();let t=S();return t===e||e.isContentEditable&&!!t&&V(t,e)}function wo(e,t,n){
if(t==="text"&&e.maxLength>=0&&n.length>e.maxLength)return{why:"long",limit:e.maxLength};if(t!=="assign"||n==="")return null;
let{type:o,min:s,max:r,step:i}=e,c=Object.assign(document.createElement("input"),{type:o,min:s,max:r,step:i});c.value=n;
let a=Number(n);if(o==="range"){let x=s===""?0:Number(s),Y=Math.max(x,r===""?100:Number(r));return a<x||a>Y?{why:"range",
min:String(x),max:String(Y)}:null}if(c.value==="")return{why:"format"};let{rangeUnderflow:l,rangeOverflow:h}=c.validity;
return l||h?{why:"range",min:s,max:r}:null}var vo=500,N=null;function Le(e){if(!N||!e.isTrusted||performance.now()>N.until)
return;let t=e.composedPath()[0];t instanceof Node&&(V(t,N.element)||ie(N.element,t))||(N.blocked=t instanceof Element?v(
t)+J(t):"the page",e.preventDefault(),e.stopImmediatePropagation())}function ko(){let e=N?N.blocked:"";return N=null,removeEventListener(
"beforeinput",Le,!0),e}function Pe(e,t){u();let n=g(e);if(n.state)return n;let{element:o}=n,s=E(o),r=wo(o,s,t);if(r)return{
state:"barred",...r};let i=Ft(o);if(!tt(o))return{state:"unfocused",to:lt(S())};if(s==="assign"){let c=o;return c.value!==
t&&(c.value=t,Bt(o)),{state:"ok",before:i}}return N={element:o,blocked:"",until:performance.now()+5e3},addEventListener(
"beforeinput",Le,!0),s==="rich"?So(o).then(()=>({state:"ok",before:i})):(o.select(),{state:"ok",before:i})}function So(e){
let t=getSelection(),n=()=>[t.anchorNode,t.anchorOffset,t.focusNode,t.focusOffset],o=n();return t.selectAllChildren(e),n().
every((s,r)=>s===o[r])?Promise.resolve():new Promise(s=>{document.addEventListener("selectionchange",s,{once:!0}),setTimeout(
s,vo)})}function Bt(e){for(let t of["input","change"])e.dispatchEvent(new Event(t,{bubbles:!0,composed:!0}))}function De(e){
let t=ko(),n=k(e),o=!1;if(!n||!n.isConnected){let{role:r,name:i}=P.get(e.number);u();let c=m(bt[r]||"*").filter(a=>{let[
l,h]=O(a);return l===r&&h===i&&d(a)});if(c.length!==1)return{state:"gone",blocked:t};[n,o]=[c[0],!0]}let s=!n.validity||
n.validity.valid;return{state:"ok",value:Ft(n),blocked:t,replaced:o,message:s?"":n.validationMessage}}function He(e){u();
let t=g(e);if(t.state)return t;let n=t.element.form||t.element.closest("form"),o=r=>r.form===n&&(r.type==="submit"||r.type===
"image"),s=n&&[...n.getRootNode().querySelectorAll("button,input")].find(o);return s?{state:"ok",number:pt(s,...O(s))}:{
state:"none"}}function We(e,t){u();let n=g(e);if(n.state)return n;let{element:o}=n,s=S()===o,r=Ft(o);return tt(o)?(t&&!s&&
Eo(o),{state:"ok",had:s,before:r}):{state:"unfocused",to:lt(S())}}function Fe(e,t){u();let n=g(e);return n.state?n:tt(n.
element)?{state:document.execCommand("insertText",!1,t)?"ok":"unfocused",to:"the page"}:{state:"unfocused",to:lt(S())}}function Eo(e){
let t=E(e);if(t!=="text"&&t!=="rich")return;let n=getSelection(),o=e;t==="rich"?(n.selectAllChildren(e),n.collapseToEnd()):
o.selectionStart!==null?o.setSelectionRange(o.value.length,o.value.length):n.modify("move","forward","documentboundary")}
function Be(){u();let e=S();return!e||e===document.body||e===document.documentElement?{number:0,role:"page",name:"",local:"",
frame:!1,field:"",next:y()}:{...w(e),...xt(e),frame:L(e),next:y()}}var _e=["dragstart","dragover","drop"],A=null;function je(e){!A||!e.isTrusted||(A[e.type]=e,e.type==="drop"&&(A.files=[...e.
dataTransfer.files].map(t=>t.name)))}function qe(e){let t=e.composedPath()[0];A?.files?.length&&!(t.localName==="input"&&
t.type==="file")&&e.preventDefault()}function Ye(){if(!A){for(let e of _e)addEventListener(e,je,!0);addEventListener("dr\
op",qe)}A={dragstart:null,dragover:null,drop:null,files:null}}function Ke(){let{dragstart:e,dragover:t,drop:n,files:o}=A||
{};return{began:!!e&&!e.defaultPrevented,welcome:!!t&&t.defaultPrevented,dropped:!!n,on:n?.target instanceof Element?v(n.
target):"",files:o||[]}}function Ge(){A=null;for(let e of _e)removeEventListener(e,je,!0);removeEventListener("drop",qe)}
var wt=null;function _t(e){if(!(e?.localName==="input"&&e.type==="file"))return{state:"other"};let t=e,n=wt={element:t,given:null},
o=()=>n.given=Je(t);for(let c of["input","change"])e.addEventListener(c,o,{capture:!0,once:!0});let{multiple:s,accept:r,
webkitdirectory:i}=t;return{state:"ok",multiple:s,accept:r,folder:i}}var Je=e=>[...e.files].map(t=>t.name),Ve=e=>_t(k(e)),
Ue=()=>({given:wt?.given||null,now:wt?Je(wt.element):[]});var Xe=new Set("script style noscript template head meta link title base svg canvas video audio object embed map datalis\
t param source track optgroup option rp".split(" ")),jt=new Set(["br","hr","wbr"]),et=new Set(["iframe","frame","fencedf\
rame"]),vt=2e3,ze=1200,Qe=e=>`\0frame ${e}\0`,Ze=new Set("text search url tel email number date time month week datetime\
-local textarea submit button reset".split(" ")),tn=new Set("p figure figcaption article section main aside header foote\
r nav form fieldset address details dl hgroup body".split(" ")),B=e=>ft(e)&&ae(e),kt=e=>ft(e)||e.nodeType===1,_=e=>ft(e)?
"form":e.localName,No=st(Node,"childNodes");function St(e){let t=p(e),n=e;if(!t&&_(e)==="slot"&&n.assignedNodes){let o=n.
assignedNodes();if(o.length)return o}return No(t||e)}function qt(e,t){return/^(https?|ftp|mailto|tel):/.test(e)?(t&&e.startsWith(
t+"#")?e.slice(t.length):e).replace(/[\s()]/g,o=>"%"+o.charCodeAt(0).toString(16).padStart(2,"0")):""}function en(e){let t=e.
querySelector("code"),n=`${e.className} ${t?t.className:""} ${e.parentNode.className||""}`,o=/(?:^|[\s-])(?:language|lang|highlight-source|brush:)[-\s]?([\w+#-]+)/.
exec(n);return o?o[1]:""}function nn(e){let t=[];for(let n of e.rows)getComputedStyle(n).display!=="none"&&t.push(n);return t}
function on(e,t){if(/^(presentation|none)$/.test(e.getAttribute("role")||"")||e.querySelector("table, h1, h2, h3, form, \
article, iframe"))return!1;if(e.caption||e.tHead||e.querySelector("th"))return!0;if(t.length<2)return!1;let n=t.map(s=>s.
cells.length);if(Math.max(...n)<2)return!1;let o=n.reduce((s,r)=>s+r,0);return e.textContent.length/o<200&&!e.querySelector(
"ul, ol, p + p")}var Oo=4e4,Ao=400,To=140,Co=.3,Yt="data-ph-",Ro=new Set("class id role rel itemprop itemscope itemtype lang dir alt src \
srcset width height colspan rowspan summary datatable title aria-hidden aria-modal".split(" ")),Mo=new Set("script style\
 noscript template head meta link title base svg canvas map datalist param source track optgroup option rp select textar\
ea input button object embed".split(" ")),$o=st(Element,"attributes"),j=class{constructor(t){this.before=Yt+(t===""?"":`${t}\
-`),this.live=[],this.frames=new Map,this.suspects=[],this.faded=new Set,this.unseen=new Set,this.left=Oo,this.framed=!1}bearing(t){
return{[this.before+(this.live.push(t)-1)]:""}}element(t,n){let o=_(t);if(Mo.has(o)||this.left--<=0||n>Ao)return null;let s=p(
t);s&&dt(s);let r=D(t);if(r.display==="none")return null;if(!B(t)&&W(t,r,H())){if(Number(r.opacity)>=at)return null;this.
faded.add(t)}if(et.has(o))return this.frame(t);ct(t,o)&&!rt.has(t)&&this.suspects.push(t);let i=this.bearing(t);for(let{
name:a,value:l}of $o(t))Ro.has(a)&&(i[a]=l);o==="a"&&/^https?:/.test(t.href)&&(i.href=t.href);let c=Io(o,r);return[c,i,this.
children(t,r,n,c==="div")]}children(t,n,o,s){let r=[],i=n.visibility==="visible";for(let c of St(t))if(kt(c)){let a=this.
element(c,o+1);a&&r.push(a)}else if(c.nodeType===3&&i){let a=this.text(c,t,n);a&&r.push(s&&a!==" "?["span",this.bearing(
c),[a]]:a)}return r}text(t,n,o){return K(t.data)?" ":n.localName==="details"||!B(n)&&!gt(n,o,H())&&!it(t,n)?t.data:(this.
unseen.add(t),"")}frame(t){let n=t.getBoundingClientRect();n.width*n.height>innerWidth*innerHeight*Co&&(this.framed=!0);
let o=ut(t);return this.frames.set(o,t),[o]}};function Io(e,t){return e==="body"||e==="form"?"div":/^[a-z][a-z0-9]*$/.test(
e)?e:t.display.startsWith("inline")?"span":"div"}function Kt(e,t,n,o){if(typeof t=="string")return e.createTextNode(t);if(t.
length===1){let a=o[`${n}:${t[0]}`];return a&&a.data?Kt(e,a.data,a.key,o):e.createTextNode(" ")}let[s,r,i]=t,c=e.createElement(
s);for(let a in r)c.setAttribute(a,r[a]);for(let a of i)c.append(Kt(e,a,n,o));return c}function Lo(e,t){let n=document.implementation.
createHTMLDocument(document.title);for(let s of document.querySelectorAll("head > meta[property], head > meta[name]")){let r=n.
createElement("meta");for(let i of["property","name","content"])s.hasAttribute(i)&&r.setAttribute(i,s.getAttribute(i));n.
head.append(r)}let o=Kt(n,e,"",t);for(let{name:s,value:r}of[...o.attributes])n.body.setAttribute(s,r);return n.body.append(
...o.childNodes),Po(n)}function Po(e){let t;return Object.defineProperty(e.body,"innerHTML",{get:()=>(t=e.body.cloneNode(
!0),"kept"),set:()=>{e.body.replaceChildren(...t.cloneNode(!0).childNodes)}}),e}function Do(e){let t={};for(let n of[e,...e.
querySelectorAll("*")])for(let{name:o}of n.attributes){if(!o.startsWith(Yt))continue;let[s,r=""]=o.slice(Yt.length).split(
"-").reverse();(t[r]??=[]).push(Number(s))}return t}function Gt(e,t,n){let o=[...t.map(i=>e.live[i]),...n.map(i=>e.frames.
get(i))],s=new Set(o.filter(i=>i!==void 0)),r=new Set;for(let i of s)for(let c=f(i);c&&!r.has(c);c=f(c))r.add(c);return{
kept:s,way:r,judged:e}}var Et=null;function sn(e){let t=Et=new j(e);return document.body?t.element(document.body,0):null}
function rn(e){let t=Et=new j(""),n=document.body&&t.element(document.body,0);if(!n||t.left<=0)return{copy:t,large:t.left<=
0};let o={keepClasses:!0,disableJSONLD:!0,serializer:i=>i},s=globalThis.ph.Readability,r=new s(Lo(n,e),o).parse();return r&&
r.length>=To?{copy:t,marks:Do(r.content)}:{copy:t}}function cn(e,t){let n=new Set;for(let o of t)for(let s=o;s!=="";){let r=Object.
keys(e).find(a=>e[a].key===s);if(!r)break;let[i,c]=r.split(":");i===""&&n.add(Number(c)),s=i}return[...n]}var Nt=class{constructor(t){this.markdown=t.format!=="text",this.links=this.markdown&&t.links!==!1,this.images=t.images!==
!1,this.kept=t.kept||null,this.way=t.way||null,this.judged=t.judged||null,this.hidden=t.hidden||!1,this.faded=!1,this.suspects=
[],this.lines=[],this.line="",this.levels=[],this.blank=!1,this.flat=0,this.depth=0,this.next=new WeakMap,this.here=location.
href.split("#")[0]}say(t){let n=t.replace(pe," ");n===""||n[0]===" "&&(this.line===""||this.line.endsWith(" "))?this.line+=
n.slice(1):this.line+=n}prefix(){let t="";for(let n of this.levels)t+=n.used?n.rest:n.first,n.used=!0;return t}rests(){let t="";
for(let n of this.levels)n.used&&(t+=n.rest);return t.trimEnd()}flush(){if(this.flat){this.line!==""&&!this.line.endsWith(
" ")&&(this.line+=" ");return}let t=this.line.trim();this.line="",t!==""&&(this.blank&&this.lines.length&&this.lines.push(
this.rests()),this.blank=!1,this.lines.push(this.prefix()+t))}gap(){this.flush(),this.flat||(this.blank=!0)}verbatim(t){
this.gap(),this.lines.length&&this.lines.push(this.rests()),this.blank=!1;for(let n of t.split(`
`))this.lines.push(this.prefix()+n);this.blank=!0}aside(t){let n=this.line;this.line="",this.flat++,t();let o=this.line.
trim();return this.flat--,this.line=n,o}wrapped(t,n){if(!this.markdown)return this.children(t);let o=this.line.length,s=this.
lines.length;if(this.children(t),this.lines.length!==s)return;let r=this.line.slice(o),i=r.trim();if(i===""||i.startsWith(
n[0]))return;let[c]=r.match(/^\s*/),[a]=r.match(/\s*$/);this.line=this.line.slice(0,o)+c+n+i+n+a}node(t,n){if(kt(t))this.
element(t);else if(t.nodeType===3&&(this.hidden||!this.unseen(t))){let{data:o}=t;n&&!this.flat?this.preserved(o):this.say(
o)}}unseen(t){if(this.judged)return this.judged.unseen.has(t);let n=t.parentElement||t.parentNode.host;return n&&B(n)?!0:
!n||K(t.data)||n.localName==="details"?!1:gt(n,D(n),H())||it(t,n)}preserved(t){t.split(`
`).forEach((o,s)=>{s&&this.flush(),this.say(o)})}children(t,n){let o=n?n.whiteSpaceCollapse.startsWith("preserve"):!1,s=n&&
n.visibility!=="visible"&&!this.hidden,r=!this.kept||this.kept.has(t);for(let i of St(t)){let{nodeType:c,data:a}=i;c===3&&
(s||!(r||this.kept?.has(i)||K(a)))||this.node(i,o)}}element(t){let n=_(t);if(Xe.has(n)||!this.wanted(t,n))return;let o=p(
t);o&&dt(o);let s=D(t);if(!this.hidden&&s.display==="none")return;if(!this.hidden&&!this.faded&&this.veiled(t,s))return this.
veil(t,s);if(ct(t,n)&&!rt.has(t)&&this.suspects.push(t),this.depth>ze)return this.say(t.textContent);this.depth++;let r=Jt[n];
r&&(!this.kept||this.kept.has(t)||jt.has(n))?r(this,t,s):this.plain(t,s),this.depth--}veiled(t,n){return this.judged?this.
judged.faded.has(t):!B(t)&&W(t,n,H())}wanted(t,n){return!this.kept||this.kept.has(t)||this.way?.has(t)?!0:(jt.has(n)||et.
has(n))&&this.kept.has(f(t))}veil(t,n){if(Number(n.opacity)>=at||/^(?:img|svg|iframe)$/.test(t.localName))return;this.faded=
!0;let o=this.aside(()=>this.children(t,n));this.faded=!1,o!==""&&(this.gap(),this.line+=`[hidden text: ${o}]`,this.gap())}plain(t,n){
let o=n.display;if(o==="inline"||o==="contents")return this.children(t,n);if(o.startsWith("inline")){this.line!==""&&!/[\s([{"'*_`-]$/.
test(this.line)&&(this.line+=" "),this.children(t,n),this.line!==""&&!this.line.endsWith(" ")&&(this.line+=" ");return}let s=tn.
has(_(t));s?this.gap():this.flush(),this.children(t,n),s?this.gap():this.flush()}level(t,n,o){this.flush();let s={first:t,
rest:n,used:!1};this.levels.push(s),o(),this.flush(),this.levels.pop()}link(t,n){let o=this.line.length;this.flat++,this.
children(t,n),this.flat--;let s=this.line.slice(o),r=s.trim();if(r===""){if(r=b(t.getAttribute("aria-label")||t.title||""),
r==="")return;s=r}let i=this.links?qt(t.href,this.here):"",c=i&&!r.includes("](")?`[${r}](${i})`:r,a=/^\s/.test(s)?" ":"";
this.line=this.line.slice(0,o)+a+c+(/\s$/.test(s)?" ":"")}image(t){if(!this.images)return;let n=b(t.getAttribute("alt")||
"");if(n==="")return;let o=this.links?qt(t.currentSrc||t.src||"",""):"",s=this.markdown?`![${n}](${o})`:`[${n}]`;this.line!==
""&&!this.line.endsWith(" ")&&(this.line+=" "),this.line+=s+" "}heading(t,n){let o=this.aside(()=>this.children(t,n));if(o===
"")return;this.gap();let s=Number(t.localName[1]);this.line=this.markdown&&!this.flat?`${"#".repeat(s)} ${o}`:o+" ",this.
gap()}code(t,n){if(!this.markdown||this.flat>8)return this.children(t,n);let o=this.aside(()=>this.children(t,n));if(o===
"")return;let s=o.includes("`")?"``":"`";this.line+=`${s}${o}${s}`}pre(t){if(!this.hidden&&se(t))return this.children(t,
D(t));let n=t.innerText.replace(/\s+$/,"").replace(/^\n/,"");if(n.trim()==="")return;if(this.flat)return this.say(n);if(!this.
markdown)return this.verbatim(n);let o="```";for(;n.includes(o);)o+="`";this.verbatim(`${o}${en(t)}
${n}
${o}`)}list(t,n){let o=this.levels.length>0;o?this.flush():this.gap(),this.children(t,n),o||this.gap()}item(t,n){if(this.
flat)return this.flush(),this.children(t,n),this.flush();let o=t.parentNode,s="- ";o&&o.localName==="ol"&&(s=`${this.ordinal(
t,o)}. `);let r=" ".repeat(s.length);this.level(s,r,()=>this.children(t,n)),this.blank=!1}ordinal(t,n){let o=t.hasAttribute(
"value")?t.value:this.next.get(n)??n.start;return this.next.set(n,o+1),o}table(t,n){let o=nn(t);if(!on(t,o))return this.
gap(),this.children(t,n),this.gap();let s=t.caption?this.aside(()=>this.children(t.caption)):"",i=o.slice(0,vt).map(l=>this.
row(l)).filter(l=>l.some(h=>h!=="")),c=i.reduce((l,h)=>Math.max(l,h.length),0);if(!i.length)return;for(let l of i)for(;l.
length<c;)l.push("");if(this.flat)return this.say(i.map(l=>l.join(" ")).join(" "));let a=s?[s,""]:[];this.markdown?(a.push(
...i.map(l=>`| ${l.join(" | ")} |`)),a.splice(s?3:1,0,`|${" --- |".repeat(c)}`)):a.push(...i.map(l=>l.join(" | "))),o.length>
vt&&a.push(`(${o.length-vt} more rows)`),this.verbatim(a.join(`
`))}row(t){let n=[];for(let o of t.cells){if(getComputedStyle(o).display==="none"||!this.wanted(o,o.localName))continue;
let s=this.aside(()=>this.children(o,getComputedStyle(o)));n.push(this.markdown?s.replace(/\|/g,"\\|"):s);for(let r=Math.
min(o.colSpan,50);r>1;r--)n.push("")}return n}field(t){let n=t.localName==="select"?[...t.selectedOptions].map(o=>b(o.text)).
join(", "):Ze.has(t.type)?b(t.value):"";n&&this.say(` ${n} `)}frame(t){this.flush(),this.gap(),!this.flat&&(this.line=Qe(
ut(t)),this.gap())}done(){return this.flat=0,this.flush(),this.lines.join(`
`).trim()}},Ho={a:(e,t,n)=>e.link(t,n),img:(e,t)=>e.image(t),br:e=>e.flush(),hr:e=>(e.gap(),e.markdown&&!e.flat&&(e.line=
"---"),e.gap()),pre:(e,t)=>e.pre(t),code:(e,t,n)=>e.code(t,n),kbd:(e,t,n)=>e.code(t,n),samp:(e,t,n)=>e.code(t,n),b:(e,t)=>e.
wrapped(t,"**"),strong:(e,t)=>e.wrapped(t,"**"),i:(e,t)=>e.wrapped(t,"*"),em:(e,t)=>e.wrapped(t,"*"),ul:(e,t,n)=>e.list(
t,n),ol:(e,t,n)=>e.list(t,n),menu:(e,t,n)=>e.list(t,n),li:(e,t,n)=>e.item(t,n),dt:(e,t)=>(e.gap(),e.wrapped(t,"**"),e.flush()),
dd:(e,t,n)=>e.flat||!e.markdown?e.plain(t,n):e.level(": ","  ",()=>e.children(t,n)),blockquote:(e,t,n)=>{if(e.gap(),e.flat)
return e.children(t,n);let o=e.markdown?"> ":"";e.level(o,o,()=>e.children(t,n)),e.gap()},table:(e,t,n)=>e.table(t,n),math:(e,t)=>e.
say(t.getAttribute("alttext")||t.textContent),input:(e,t)=>e.field(t),textarea:(e,t)=>e.field(t),select:(e,t)=>e.field(t)},
Jt=Ho;for(let e of["h1","h2","h3","h4","h5","h6"])Jt[e]=(t,n,o)=>t.heading(n,o);for(let e of et)Jt[e]=(t,n)=>t.frame(n);function Vt(e){return e?[...document.querySelectorAll(e)].filter((t,n,o)=>!o.some(s=>s!==t&&s.contains(t))):[document.body||
document.documentElement]}function At(){u(),le()}function nt(e,t){t.judged||At();let n=new Nt(t);for(let o of e)o&&n.element(
o),n.gap();return{text:n.done(),suspects:n.suspects}}var Wo=["main article","article","main","[role='main']"];function Fo(e){
for(let t of Wo){let n=document.querySelector(t),o=n&&nt([n],e);if(o&&o.text!=="")return{reader:o,tops:[n],what:"main"}}
return an({...e,selector:""})}function an(e){let t=Vt(e.selector);return{reader:nt(t,e),tops:t,what:e.selector?"selectio\
n":"page"}}function Ot({reader:e,tops:t,what:n},o,s){e.text===""&&n!=="article"&&t.some(l=>l&&l.textContent.trim())&&(e=
nt(t,{...o,hidden:!0}),e.text!==""&&(n="hidden"));let{title:r}=document,i=document.documentElement?document.documentElement.
lang:"",c=me(s.suspects||e.suspects),a={what:n,found:t.length};return{text:e.text,title:r,url:location.href,lang:i,...a,
...s,suspects:c}}function ln(e){let t;try{t=an(e)}catch(n){if(n.name!=="SyntaxError")throw n;return{bad:!0}}return Ot(t,
e,{})}function un(e,t){let n={};for(let[c,a,l,h]of t)n[`${a}:${l}`]={key:c,data:JSON.parse(h)};At();let{copy:o,marks:s,large:r}=rn(
n),i={framed:o.framed,large:!!r,suspects:o.suspects};if(s){let c=Vt(""),a=Object.keys(s).filter(h=>h!==""),l=nt(c,{...e,
...Gt(o,s[""]||[],cn(n,a))});if(l.text!=="")return Ot({reader:l,tops:c,what:"article"},e,{...i,marks:s})}return Ot(Fo(e),
e,i)}function fn(e){return At(),JSON.stringify(sn(e))}function dn(e,t,n){let o=Vt("");At();let s=Et||new j(""),r=nt(o,{...e,
...Gt(s,t,n)});return Ot({reader:r,tops:o,what:"article"},e,{})}var Bo=2e3;function Tt(e,t,n,o){let s=e.getBoundingClientRect(),r=s.width>0&&s.height>0&&e.checkVisibility({visibilityProperty:!0,
opacityProperty:!0}),i=n.startsWith("data:")?n.slice(0,80):n;return{kind:t,src:i,alt:b(e.getAttribute("alt")||e.getAttribute(
"aria-label")||""),naturalWidth:o[0],naturalHeight:o[1],x:Math.round(s.left+scrollX),y:Math.round(s.top+scrollY),width:Math.
round(s.width),height:Math.round(s.height),visible:r,inViewport:r&&s.bottom>0&&s.right>0&&s.top<innerHeight&&s.left<innerWidth,
loaded:t==="img"?e.complete&&o[0]>0:!0}}function hn(e,t,n){for(let o of e.querySelectorAll("*")){if(n.length>=Bo)return;
let s=o.localName;if(s==="img"||s==="input"&&o.type==="image"){let i=o,c=i.currentSrc||i.src||"",a=[i.naturalWidth||0,i.
naturalHeight||0];c&&n.push(Tt(o,"img",c,a))}else if(s==="svg"&&!o.parentElement?.closest("svg"))t&&n.push(Tt(o,"svg","",
[0,0]));else if(s==="video"){let{poster:i,videoWidth:c,videoHeight:a}=o;i&&n.push(Tt(o,"poster",i,[c,a]))}if(t){let i=getComputedStyle(
o).backgroundImage;for(let[,c]of i.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g))n.push(Tt(o,"background",c,[0,0]))}let r=p(o);
r&&hn(r,t,n)}}function pn(e){let t=[];return hn(document,e,t),JSON.stringify(t)}function mn(e,t,n){if(u(),t==="count"){let r=e,i=Dt(r);return i.state?i:{state:"ok",value:z(i.all,r.nth).length}}let o=g(
e);if(o.state)return o;let{element:s}=o;return{state:"ok",value:_o(s,t,n),...w(s)}}function _o(e,t,n){switch(t){case"tex\
t":return e.innerText??e.textContent;case"html":return e.outerHTML;case"value":return"value"in e?String(e.value):e.innerText??
null;case"attr":return e.getAttribute(n);case"box":return yt(e);case"visible":return d(e);case"enabled":return!I(e);case"\
checked":return Z(e);case"styles":return jo(e,n)}return null}function jo(e,t){let n=getComputedStyle(e);return Object.fromEntries(
t.map(o=>[o,n.getPropertyValue(o)]))}var gn=()=>devicePixelRatio;var R=[],q=()=>document.scrollingElement||document.documentElement;function ot(e){let t=[];for(let o=e;o&&o!==document.documentElement&&
o!==document.body;o=f(o)){let s=getComputedStyle(o),r=/auto|scroll/.test(s.overflowY)&&o.scrollHeight>o.clientHeight,i=/auto|scroll/.
test(s.overflowX)&&o.scrollWidth>o.clientWidth;(r||i||o.localName==="textarea"&&o.scrollHeight>o.clientHeight)&&t.push(o)}
let{body:n}=document;return n&&n!==q()&&/auto|scroll/.test(getComputedStyle(n).overflowY)&&t.push(n),[...t,q()]}var M=e=>({
x:e.scrollLeft,y:e.scrollTop,width:Math.max(0,e.scrollWidth-e.clientWidth),height:Math.max(0,e.scrollHeight-e.clientHeight)}),
bn=e=>e===q()&&[document.documentElement,document.body].some(t=>t&&/hidden|clip/.test(getComputedStyle(t).overflowY));function xn(e,t,n){
if(bn(e))return!1;let o=M(e),s=(r,i,c)=>r>0?i<c-1:r<0&&i>0;return s(t,o.x,o.width)||s(n,o.y,o.height)}function yn(e,t,n){
let[o,s]=e||vn(t,n);return R=ot(T(o,s)||document.body||document.documentElement).map(r=>({element:r,...M(r)})),{x:o,y:s,
hidden:document.visibilityState==="hidden"}}function wn(e){let n=k(e).getBoundingClientRect(),o=document.documentElement,
[s,r]=[Math.max(0,n.left),Math.min(o.clientWidth,n.right)],[i,c]=[Math.max(0,n.top),Math.min(o.clientHeight,n.bottom)];return r-
s<1||c-i<1?null:[(s+r)/2-n.left,(i+c)/2-n.top]}function vn(e,t){let{clientWidth:n,clientHeight:o}=document.documentElement,
s=[.5,.3,.7,.1,.9,.02,.98],r=null;for(let i of s)for(let c of s){let[a,l]=[n*c,o*i],h=T(a,l);if(!h||L(h))continue;let x=ot(
h).find(jn=>xn(jn,e,t));if(!x)continue;if(x===q())return[a,l];let Y=x.clientWidth*x.clientHeight;(!r||Y>r.area)&&(r={area:Y,
point:[a,l]})}return r?r.point:[n/2,o/2]}function kn(){let e=R.find(({element:r,x:i,y:c})=>r.scrollLeft!==i||r.scrollTop!==
c),{element:t,x:n,y:o}=e||R[R.length-1],s=M(t);return{what:t===q()?"the page":v(t),dx:Math.round(s.x-n),dy:Math.round(s.
y-o),x:Math.round(s.x),y:Math.round(s.y),width:s.width,height:s.height}}function Sn(e,t){R.find(({element:o})=>xn(o,e,t))?.
element.scrollBy({left:e,top:t,behavior:"instant"})}function En(e,t){let n=e?g(e):null;if(n?.state)return n;let o=t==="t\
op"||t==="bottom",s=ot(n?n.element:T(...vn(0,1))||document.body),r=a=>(o?M(a).height:M(a).width)>0&&!bn(a),i=s.find(r)||
q();R=[{element:i,...M(i)}];let c=t==="top"||t==="left"?0:1e9;return i.scrollTo({[o?"top":"left"]:c,behavior:"instant"}),
{state:"ok"}}function Nn(e){u();let t=g(e);if(t.state)return t;R=ot(t.element).map(i=>({element:i,...M(i)}));let n=t.element.
getBoundingClientRect(),o=Q(t.element,t.element,void 0).point,s=document.documentElement;return(!(n.top>=0&&n.left>=0&&n.
bottom<=s.clientHeight&&n.right<=s.clientWidth)||!o)&&t.element.scrollIntoView({block:"center",inline:"nearest",behavior:"\
instant"}),{state:"ok"}}var Tn='[role="option"],[role="menuitemradio"],[role="menuitemcheckbox"],[role="menuitem"],[role="treeitem"]',On=new WeakSet,
Cn=e=>/^(listbox|menu|tree|radiogroup|grid)$/.test(Ht(e));function qo(e){let t=Cn(e)?[e]:[],n=e.localName==="input"?null:
e.querySelector("[aria-controls],[aria-owns]");for(let o of n?[e,n]:[e]){let s=`${o.getAttribute("aria-controls")||""} ${o.
getAttribute("aria-owns")||""}`;for(let r of s.split(" ").filter(Boolean)){let c=o.getRootNode().getElementById?.(r)||document.
getElementById(r);c&&t.push(c)}}return t}function Yo(e){let t=Wt(e),n=t.filter(o=>o.matches(Tn));return(n.length?n:t.filter(
o=>o.localName==="li")).filter(d)}var An=()=>m(Tn).filter(d),Rn=e=>{let t=e.getAttribute("aria-selected")??e.getAttribute(
"aria-checked");return t===null?null:t==="true"},Ko=(e,t)=>{let n=w(e);return{index:t,number:n.number,role:n.role,label:$(
b(n.name||G(e)),200),value:e.getAttribute("data-value")||e.getAttribute("value")||"",disabled:I(e),selected:Rn(e)===!0}},
Go=e=>e.localName==="optgroup"&&e.disabled,Jo=(e,t)=>({index:t,label:$(b(e.label),200),value:e.value,disabled:e.disabled||
Go(e.parentNode),selected:e.selected}),Mn=e=>{let t=e.localName==="input"?e:e.querySelector("input"),n=t?t.value:"";return $(
b(n||G(e)),200)};function $n(e,t){u();let n=k(e);if(!n||!n.isConnected)return{state:"gone"};if(n.localName==="select"){let i=[
...n.options].map(Jo);return{state:"ok",native:!0,multiple:n.multiple,options:i}}let o=qo(n),s=o.flatMap(Yo),r=n.getAttribute(
"aria-expanded")==="true"||Cn(n);return t?On=new WeakSet(r?[]:An()):s.length||(s=An().filter(i=>!On.has(i))),{state:"ok",
native:!1,multiple:[n,...o].some(i=>i.getAttribute("aria-multiselectable")==="true"),open:r||s.length>0,editable:E(n.localName===
"input"?n:n.querySelector("input")||n)==="text",shows:Mn(n),options:s.map(Ko),next:y()}}function In(e,t){u();let n=g(e);
if(n.state)return n;let o=n.element,s=new Set(t),r=[...o.options].some((i,c)=>i.selected!==s.has(c));return tt(o),r?(o.multiple?
[...o.options].forEach((i,c)=>i.selected=s.has(c)):o.selectedIndex=t[0],Bt(o),{state:"ok",changed:!0}):{state:"ok",changed:!1}}
function Ln(e,t){let n=k(e),o=k({number:t});return{shows:n?.isConnected?Mn(n):null,selected:o?.isConnected?Rn(o):null}}function Vo(e){return e==="session"?sessionStorage:localStorage}function Pn(e){let t=[];for(let n=0;n<e.length;n++){let o=e.
key(n)??"";t.push([o,e.getItem(o)??""])}return t}function Uo(e){sessionStorage.clear();for(let[t,n]of e)sessionStorage.setItem(
t,n);return sessionStorage.clear(),e.length}function Xo(e,t){let n=Pn(e);try{e.clear();for(let[o,s]of t)e.setItem(o,s)}catch(o){
e.clear();for(let[s,r]of n)e.setItem(s,r);throw o}return t.length}var Dn=(e,t,n,o)=>{try{let s=Vo(e);switch(t){case"list":
return{value:JSON.stringify(Pn(s))};case"get":return{value:s.getItem(n)};case"set":return s.setItem(n,o),{value:s.getItem(
n)};case"remove":{let r=s.getItem(n)!==null;return s.removeItem(n),{value:r}}case"clear":{let r=s.length;return s.clear(),
{value:r}}case"rehearse":return{value:Uo(JSON.parse(o))};case"replace":return{value:Xo(s,JSON.parse(o))}}return{refused:`\
no action ${t}`}}catch(s){let{name:r,message:i}=s;return{refused:`${r}: ${i}`}}};var Xt=0,Ct=null,Hn=e=>{e.some(t=>t.attributeName!=="style")&&(Xt=performance.now())},Fn=()=>(Ct||(Ct=new MutationObserver(
Hn),Ct.observe(document,{attributes:!0,characterData:!0,childList:!0,subtree:!0}),Xt=performance.now()),Hn(Ct.takeRecords()),
performance.now()-Xt),zt=(e,t)=>{t(e);for(let n of e.querySelectorAll("*")){let o=p(n);o&&zt(o,t)}},Rt=e=>{if(!e.checkVisibility(
{visibilityProperty:!0}))return getComputedStyle(e).display==="contents"&&[...e.children].some(Rt);let t=e.getBoundingClientRect();
return t.width>0&&t.height>0},Bn=e=>{let t=[];try{document.querySelector(e)}catch(n){return{error:n.message}}return zt(document,
n=>t.push(...n.querySelectorAll(e))),{count:t.length,visible:t.filter(Rt).length}},Ut=e=>e.replace(/\s+/g," ").toLowerCase(),
Wn=e=>e.replace(/\s+/g,"").toLowerCase(),_n=e=>{let t=Ut(e).trim(),n=Wn(e),o=!1;return zt(document,s=>{if(o)return;let r=s===
document?[document.body||document.documentElement]:s.children;for(let i of r)!i||o||Wn(i.textContent).includes(n)&&(o=Ut(
i.innerText||"").includes(t)&&Rt(i));if(!o)for(let i of s.querySelectorAll("input"))/^(submit|button|reset)$/.test(i.type)&&
Ut(i.value).includes(t)&&Rt(i)&&(o=!0)}),o};Object.assign(globalThis.ph,Qt);})();
