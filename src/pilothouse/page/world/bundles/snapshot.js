if(!globalThis.ph)
(()=>{var qr=Object.defineProperty;var zo=(t,e)=>{for(var o in e)qr(t,o,{get:e[o],enumerable:!0})};var jo={};zo(jo,{adopt:()=>Jn,again:()=>ge,alone:()=>pn,beginNames:()=>R,changed:()=>pr,disarm:()=>Ie,effects:()=>hr,everything:()=>Vn,
frameNumber:()=>Te,gripped:()=>mr,mark:()=>vr,marked:()=>Rr,nameOf:()=>q,next:()=>_e,numberFor:()=>tr,ownName:()=>st,ownRole:()=>y,
roleOf:()=>G,suspect:()=>Zn,walk:()=>Br,watch:()=>Ce});var J="computedRole"in Element.prototype,N="http://www.w3.org/1999/xhtml",lt="http://www.w3.org/2000/svg";function h(t){
return new Set(t.split(" "))}var Vr=h("alert alertdialog application article banner blockquote button caption cell check\
box code columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis \
feed figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marque\
e math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation pro\
gressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator\
 slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time ti\
mer toolbar tooltip tree treegrid treeitem graphics-document graphics-object graphics-symbol doc-abstract doc-acknowledg\
ments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref doc-chapter doc-colophon do\
c-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-erra\
ta doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction doc-noteref doc-notice doc\
-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-subtit\
le doc-tip doc-toc"),jr={img:"image",presentation:"none",directory:"list"},Yr={__proto__:null,abbr:"Abbr",acronym:"Abbr",
address:"group",article:"article",audio:"Audio",blockquote:"blockquote",br:"LineBreak",button:"button",canvas:"Canvas",code:"\
code",dd:"definition",del:"deletion",details:"group",dfn:"term",dialog:"dialog",dir:"list",dl:"DescriptionList",dt:"term",
em:"emphasis",embed:"EmbeddedObject",fieldset:"group",figcaption:"Figcaption",figure:"figure",form:"form",h1:"heading",h2:"\
heading",h3:"heading",h4:"heading",h5:"heading",h6:"heading",hgroup:"group",hr:"separator",iframe:"Iframe",ins:"insertio\
n",label:"LabelText",legend:"Legend",main:"main",mark:"mark",menu:"list",meter:"meter",nav:"navigation",object:"PluginOb\
ject",ol:"list",optgroup:"group",option:"option",output:"status",p:"paragraph",progress:"progressbar",rt:"RubyAnnotation",
ruby:"Ruby",s:"deletion",search:"search",strong:"strong",sub:"subscript",sup:"superscript",textarea:"textbox",time:"time",
ul:"list",video:"Video"},zr={button:"button",checkbox:"checkbox",color:"ColorWell",date:"Date","datetime-local":"DateTim\
e",file:"button",hidden:"none",image:"button",month:"DateTime",number:"spinbutton",radio:"radio",range:"slider",reset:"b\
utton",search:"searchbox",submit:"button",time:"InputTime",week:"DateTime"},Xr=h("text search url tel email number date \
month week time datetime-local"),Kr={__proto__:null,svg:"SvgRoot",g:"group",image:"image",use:"graphics-object",rect:"gr\
aphics-symbol",circle:"graphics-symbol",ellipse:"graphics-symbol",line:"graphics-symbol",path:"graphics-symbol",polygon:"\
graphics-symbol",polyline:"graphics-symbol",foreignObject:"group"},Xo={__proto__:null,math:"Math",mfrac:"Fraction",mi:"I\
dentifier",mmultiscripts:"Multiscripts",mn:"Number",mo:"Operator",mover:"Over",mroot:"Root",mrow:"Row",msqrt:"SquareRoot",
msub:"Sub",msubsup:"SubSup",msup:"Sup",mtable:"Table",mtd:"TableCell",mtext:"Text",mtr:"TableRow",munder:"Under",munderover:"\
UnderOver"},je=h("head title meta link style script base template noscript"),Ko={listitem:["list","group"],option:["list\
box","group"],treeitem:["tree","group"]},Qr=h("region form"),Jr=h("article complementary navigation"),Zr="text,a,foreign\
Object,[role],[tabindex],[aria-label],[aria-labelledby],:scope > * title",ti=["aria-atomic","aria-busy","aria-controls",
"aria-current","aria-describedby","aria-details","aria-dropeffect","aria-flowto","aria-grabbed","aria-keyshortcuts","ari\
a-label","aria-labelledby","aria-live","aria-owns","aria-relevant","aria-roledescription"];function y(t){let e=jt.get(t);
return e===void 0&&(e=ei(t),jt.set(t,e)),e}function ei(t){let e=t.getAttribute("role");if(e){let n=ii(t,e);if(n)return n}
let o=ui(t);return o==="generic"?oi(t):o}function oi(t){let e=f(t).display;if(e==="list-item")return"listitem";if(ri(t,e))
return"group";if(!e.startsWith("table")||t.closest("table"))return"generic";if(e==="table")return"LayoutTable";let o=d(t);
return!o||!f(o).display.startsWith("table")?"generic":e==="table-row"?"LayoutTableRow":e==="table-cell"?"LayoutTableCell":
"generic"}var ni=h("div center pre xmp listing plaintext");function ri(t,e){return!t.hasAttribute("draggable")&&!t.hasAttribute(
"autofocus")||t.hasAttribute("role")||t.namespaceURI!==N||/^(?:contents|table)/.test(e)?!1:ni.has(t.localName)||t.localName===
"span"&&!e.startsWith("inline")}function ii(t,e){for(let o of e.toLowerCase().split(/\s+/)){if(!Vr.has(o))continue;let n=jr[o]||
o;if(n==="none")return t.localName==="iframe"?"IframePresentational":si(t)?"":"none";if(!(Qr.has(n)&&!Ve(t))&&!(Ko[n]&&!ci(
t,Ko[n])))return n}return""}function si(t){return ai(t)||ti.some(e=>t.hasAttribute(e))}function ai(t){return t.tabIndex>=
0&&!t.disabled?!0:t.hasAttribute("tabindex")&&!t.disabled}var Ve=t=>(t.getAttribute("aria-label")||"").trim()!==""||Ye(t).
length>0||(t.getAttribute("title")||"").trim()!=="";function ci(t,e){for(let o=Rt(t)||d(t);o;o=d(o)){let n=y(o);if(n!=="\
generic"&&n!=="none")return e.includes(n)}return!1}function ui(t){let e=t.localName;if(t.namespaceURI!==N)return t.namespaceURI===
lt?fi(t):Xo[e]?"MathML"+Xo[e]:"generic";let o=Yr[e];if(o)return o;switch(e){case"div":case"span":return"generic";case"a":
return t.matches("[href],[onclick],[onmousedown],[onmouseup]")?"link":"generic";case"area":return t.hasAttribute("href")?
"link":"generic";case"li":return pi(t);case"input":return li(t);case"select":return t.multiple||t.size>1?"listbox":"comb\
obox";case"img":return"image";case"summary":return di(t)?"DisclosureTriangle":"generic";case"header":return Qo(t)?"banne\
r":"sectionheader";case"footer":return Qo(t)?"contentinfo":"sectionfooter";case"section":return Ve(t)?"region":"generic";case"\
aside":return Ve(t)||!hi(t)?"complementary":"generic";case"table":case"caption":case"thead":case"tbody":case"tfoot":case"\
tr":case"td":case"th":return mi(t,e)}return je.has(e)?"none":"generic"}function li(t){let e=t.type;return t.hasAttribute(
"list")&&Xr.has(e)&&t.list?"combobox":zr[e]||"textbox"}function fi(t){let e=t.localName;return e==="svg"?t.querySelector(
Zr)?"SvgRoot":"image":e==="a"?t.href.baseVal?"link":"group":Kr[e]||"generic"}function di(t){let e=t.parentElement;return e!==
null&&e.localName==="details"}function pi(t){let e=t.hasAttribute("role")?null:d(t);return!e||!/^(ul|ol|menu)$/.test(e.localName)?
"listitem":/^\s*(none|presentation)\b/i.test(e.getAttribute("role")||"")||y(e)!=="list"?"none":"listitem"}function Jo(t){
let e=y(t);return Jr.has(e)?!0:(t.localName==="section"||t.localName==="aside")&&!t.hasAttribute("role")}function hi(t){
for(let e=d(t);e;e=d(e))if(Jo(e))return!0;return!1}function Qo(t){for(let e=d(t);e;e=d(e))if(Jo(e)||y(e)==="main")return!1;
return!0}function mi(t,e){let o=e==="table"?t:t.closest("table");if(!o)return"generic";if(e==="caption")return"caption";
let n=e==="table"?gi(t)?"table":"LayoutTable":y(o);if(e==="table")return n;let r=n==="grid"||n==="treegrid";if(n!=="tabl\
e"&&n!=="LayoutTable"&&!r)return"generic";let i=n==="LayoutTable";return e==="tr"?i?"LayoutTableRow":"row":e==="td"||e===
"th"?i?"LayoutTableCell":e==="td"?r?"gridcell":"cell":bi(t):i?"generic":"rowgroup"}function bi(t){let e=(t.getAttribute(
"scope")||"").toLowerCase();if(e==="row"||e==="rowgroup")return"rowheader";if(e==="col"||e==="colgroup")return"columnhea\
der";let o=t.parentElement;if(!o||!o.cells)return"columnheader";for(let n of o.cells)if(n.localName==="td"&&(n.firstElementChild||
n.textContent.trim()))return"rowheader";return"columnheader"}function gi(t){if(t.isContentEditable||t.caption||t.tHead||
t.tFoot||t.hasAttribute("summary")||t.hasAttribute("rules")||t.querySelector("col"))return!0;let e=t.rows;return e.length===
0||e.length===1&&e[0].cells.length<2?!1:t.querySelector("th,td[headers],td[scope],td[abbr],td[axis]")?!0:e.length>=20||xi(
t,e)}function xi(t,e){let o=f(t).backgroundColor,n=0,r=0,i=0,a=[];for(let s of e){let c=f(s).backgroundColor;a.push(c);for(let u of s.
cells){let m=f(u),B=m.backgroundColor;n++,(parseFloat(m.borderTopWidth)>0||parseFloat(m.borderLeftWidth)>0)&&r++,B!=="rg\
ba(0, 0, 0, 0)"&&B!==o&&i++}}return n>1&&(2*r>=n||2*i>=n)?!0:a.length>2&&a[0]!==a[1]&&a.every((s,c)=>s===a[c%2])}var tt=1,Qe=2,W=4,Yt=8,zt=16,C=32,Xt=64,ft=128,_t=256,T=512,F=1024,kt=2048,I=4096,E=8192,O=16384,Je=32768,Kt=65536,Qt=131072,
Jt=262144,Lt=524288,z=1048575,Zt=C|Xt|zt|ft|_t|Jt|Lt,Si=[[tt,"clip"],[Qe,"filter"],[W,"position"],[Yt,"overflow"],[Yt,"c\
ontain"],[zt,"text-indent"],[_t,"background"],[C,"content-visibility"],[F,"text-transform"],[F,"text-security"],[kt,"cur\
sor"],[I,"transform"],[I,"translate"],[I,"scale"],[I,"rotate"],[I,"offset"],[E,"visibility"],[O,"opacity"],[Je,"pointer-\
events"],[Kt,"float"],[ft," color:"],[ft,`
color:`],[ft,"text-fill-color"],[Qt,"mask"],[Jt,"letter-spacing"],[Lt,"mix-blend-mode"],[T," content:"],[T,`
content:`]],yi=/font(?:-size)?:[^;}]*(?:[^\d.](?:[01](?:\.\d+)?|\.\d+)(?:[a-z%]|[ ;/}])|\()/,wi=/[ \n](?:all|zoom):/,en="\
[bgcolor],[background],[color],[text],[link],[clip-path],[filter],[transform],[font-size],[opacity],[visibility],[pointe\
r-events],[align],[hidden='until-found'],marquee,font",on="[inert],[popover],[aria-hidden]",Ei=`[style],${en},${on}`,Zo=300,
Ni=1e5,l=z,P=new Set,Ot=!1,H=null,Z=null;function nn(){l=z,P=new Set,Ot=!1,H=Z=null}var rn=0,j=null,Y=null,ze=/display|float|position|overflow|clip|mask|opacity|filter|contain|content|transform|translate|scale|rotate|offset/,
Xe=/cursor/;function Ti(t){let e="";for(let o of t){if(--rn<0)return null;if(o.styleSheet!==void 0){let n=o.styleSheet&&
sn(o.styleSheet);if(n===null)return null;e+=n}else{let n=o.cssText;e+=n+`
`,j&&ze.test(n)&&(j=Ke(j,ze,o)),Y&&Xe.test(n)&&(Y=Ke(Y,Xe,o))}if(e.length>Ni)return null}return e}var Ai=t=>t instanceof
CSSMediaRule||t instanceof CSSSupportsRule||t instanceof CSSLayerBlockRule||t instanceof CSSContainerRule;function Ke(t,e,o){
if(o.selectorText!==void 0&&!o.cssRules?.length)t?.push(o.selectorText);else if(Ai(o))for(let n of o.cssRules)t&&e.test(
n.cssText)&&(t=Ke(t,e,n));else return null;return t}function tn(t,e){if(!e)return null;try{return new Set(e.length?t.querySelectorAll(
e.join(",")):[])}catch{return null}}function sn(t){if(t.disabled)return"";try{return Ti(t.cssRules)}catch{return null}}function vi(t,e){
rn=Zo;let o=`
`;for(let n of[t.styleSheets,t.adoptedStyleSheets])for(let r of n||[]){let i=sn(r);if(i===null)return null;o+=i}if(e.length>
Zo)return null;for(let n of e){let{style:r}=n,i=r&&r.cssText;if(typeof i!="string")return null;o+=i+`
`,j&&ze.test(i)&&j.push("[style]"),Y&&Xe.test(i)&&Y.push("[style]")}return o}var Ri=t=>!(t instanceof CSSAnimation||t instanceof
CSSTransition),Ze=(t,e)=>t===document?document.getElementsByTagName(e):t.querySelectorAll(e),Oi=()=>document.fullscreenElement!==
null||Ze(document,"dialog").length>0;function _i(t){j=Y=null;let e=[...t.querySelectorAll(Ei)];if(e.some(r=>r.matches(en))||
t.getAnimations().some(Ri))return z;t===document&&!e.some(r=>r.matches(on))&&!Oi()&&cn(),j=[],Y=[];let o=vi(t,e.filter(r=>r.
hasAttribute("style")));if(o===null||wi.test(o))return z;let n=Ze(t,"q").length?T:0;for(let[r,i]of Si)o.includes(i)&&(n|=
r);return o.includes("font")&&yi.test(o)?n|Xt:n}function U(t){if(!P.has(t)){if(P.add(t),l!==z){l|=_i(t);let e=t===document&&
l!==z;Z=e?tn(t,Y):null,H=e&&Z?tn(t,j):null}Ot||=[...Ze(t,"form")].some(K),Ot&&(H=null)}}var an=()=>l;function X(){l=0,U(
document)}function te(t){for(let e=t;e;e=d(e)){let o=x(e);o&&U(o)}}var un=h("span a b i em strong small code label button input select textarea"),to=h("span a b i em strong small code lab\
el button input select textarea div p section article main nav header footer aside h1 h2 h3 h4 h5 h6 ul ol li form table\
 tbody thead tfoot tr td th"),ln=h("block inline inline-block list-item flow-root table table-row-group table-header-gro\
up table-footer-group table-row table-cell"),dt=(t,e,o)=>H!==null&&to.has(e)&&!H.has(t)&&!(o&ne)&&t.namespaceURI===N,ki={
opacityProperty:!0,visibilityProperty:!0},eo=t=>l&(E|O)?t.checkVisibility(ki):t.checkVisibility(),ee=()=>H!==null&&!(l&(E|
O|C)),oe=(t,e)=>ee()&&dt(t,e,0)&&!t.checkVisibility(),Li=h("label button input select textarea");function oo(t,e,o){return l&
kt?Z.has(t)&&!(e==="button"&&!t.firstElementChild)?getComputedStyle(t).cursor:Li.has(e)?"default":e==="a"&&t.hasAttribute(
"href")?"pointer":o:""}var Dt=()=>document.readyState!=="loading"||!!document.body?.firstChild,re=()=>new Promise(t=>{let e=new MutationObserver(
()=>Dt()&&o()),o=()=>{e.disconnect(),document.removeEventListener("readystatechange",o),clearTimeout(n),t()},n=setTimeout(
o,500);document.addEventListener("readystatechange",o),e.observe(document,{childList:!0,subtree:!0})});var et=/\s+/g,Di=/^[\x20-\x7e\s]*$/,Ii=/[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu,
fn=/^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/,g=t=>fn.test(t)?t:(Di.test(t)?t:t.replace(Ii,"")).replace(et," ").trim(),no=t=>t.
replace(/[\t\n\r]/g," "),b=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,It=t=>fn.test(t)?t:t.replace(/[ \t\n\r\f]+/g," "),_=t=>It(
t).replace(/^ | $/g,""),A=t=>!/[^ \t\n\r\f]/.test(t);var ro=h("button a h1 h2 h3 h4 h5 h6");function dn(t){let e=t.localName;if(!ro.has(e))return null;let o=Ci(t);if(o===null||
M(t)&w||t.namespaceURI!==N||e==="a"&&!t.hasAttribute("href")||e==="button"&&pt(t).length)return null;let n=It(o);return n&&
n[0]!==" "&&n[n.length-1]!==" "?n:null}function Ci(t){let e=t.firstChild;return!e||e.nodeType!==3||e.nextSibling||x(t)||
l&(T|F|E)?null:e.data}function ie(t,e){if(l&(T|F|E)||M(t)&w||t.childNodes.length>3)return null;let o="",n=0;for(let r=t.
firstChild;r;r=r.nextSibling)if(r.nodeType===3)o+=r.data,n+=A(r.data)?0:1;else if(r!==e)return null;return n===1?_(o):null}var io=!1,ce={},Ui="\0names";function so(){if(io)throw ce}var pn=(t,e)=>t==="walk"&&!Dt()?re().then(()=>se(t,e)):se(t,e);
function se(t,e){io=!0;try{return globalThis.ph[t](...e)}catch(o){if(o!==ce)throw o;return Ui}finally{io=!1}}var Mi=h("t\
able caption colgroup col thead tbody tfoot tr td th"),Bi=h("audio video object embed canvas math");function ao(t){let e=t.
localName;if(t.namespaceURI!==N)return t.namespaceURI===lt;if(Bi.has(e)||e.includes("-"))return!1;if(Mi.has(e))return Fi(
t,e);if(t.hasAttribute("contenteditable"))return!1;let o=t.getAttribute("role");return o!==null?hn.has(o)||mn.has(o):e!==
"a"||t.hasAttribute("href")}var hn=h("button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio head\
ing"),mn=h("search navigation main banner contentinfo complementary dialog alertdialog toolbar tablist tabpanel menu men\
ubar group radiogroup list article log status alert");function Fi(t,e){let o=e==="table"?t:t.closest("table");return!o||
t.hasAttribute("role")||o.hasAttribute("role")?!1:o.caption!==null||o.tHead!==null&&o.tHead.rows.length>0}var Pi=T|F|E|C,
bn=/^[^\s\xad\u200b]+(?: [^\s\xad\u200b]+)*$/,Hi="[inert],dialog:modal,:popover-open,:fullscreen",ae=2,Wi=1,ot;function gn(){
ot=void 0}function cn(){ot=0}function co(t,e){if(P.size||(X(),te(t)),l&Pi||P.size!==1||(ot??=document.querySelector(Hi)?
ae:document.querySelector("[aria-hidden]")?Wi:0,ot&&(ot===ae||t.closest("[aria-hidden]"))))return null;let o=$i(t,e,M(t));
return o===null||o===""||bn.test(o)?o:null}function $i(t,e,o){if(t.namespaceURI!==N)return null;let n=o&w?t.getAttribute(
"role"):null,r=hn.has(n);if(n!==null&&!r&&!mn.has(n))return null;let i=o&k?Vi(t):"";return i===null?null:ue.has(e)?n===null?
!i&&dt(t,e,o)?"":null:i||(r?xn(t)||null:""):Gi.has(e)?r?null:i:n!==null?null:uo.has(e)?Ji(t,e,i):ro.has(e)?i||ji(t,e):e===
"img"?i||t.alt:null}var Gi=h("p ul ol li menu b i em strong small code section article main nav header footer aside form\
 search dl dd tbody thead body dialog details"),qi=/^(?:aria-labell?edby|aria-owns|aria-actions|title|contenteditable|list|popover|command)/;
function Vi(t){for(let e of t.getAttributeNames())if(qi.test(e))return null;return v(t,"aria-label")}function ji(t,e){return e===
"a"&&!t.hasAttribute("href")||e==="button"&&pt(t).length?null:xn(t)||null}function xn(t){let e=Sn(t,Yi);return e===null||
bn.test(e)?e:/^(?:normal|nowrap)$/.test(f(t).whiteSpace)?_(e):null}var Yi=4,zi=20,Xi=h("span b i em strong small code");
function Sn(t,e){if(x(t)||!e||t.childNodes.length>zi)return null;let o="";for(let n=t.firstChild;n;n=n.nextSibling)if(n.
nodeType===3)o+=n.data;else{let r=Qi(n)?Sn(n,e-1):null;if(r===null)return null;o+=r}return o}var Ki=t=>t.nodeType===1;function Qi(t){
if(!Ki(t)||!Xi.has(t.localName))return!1;let e=M(t);return!(e&w)&&dt(t,t.localName,e)}function Ji(t,e,o){if(e==="input"&&
!lo.has(t.type))return null;if(o)return o;let n=pt(t);return n.length!==1||!n[0].checkVisibility()||n[0].closest("[aria-\
hidden]")?null:ie(n[0],t)}var rt=.06,Zi=12,ts=-.25,es=20,yn=4,os=/^(circle|ellipse|inset|polygon|rect|xywh|path)\(([^)]*)\)/,ns=/opacity\(0?\.?0\d*%?\)/,
rs=/rgba?\([^)]*\)|color\([^)]*\)|(?:ok)?l(?:ab|ch)\([^)]*\)/g,is=new Set("img svg video canvas object embed".split(" ")),
ss="img,video,canvas,svg,iframe,object,embed",fo=new Map,po=new Map,nt=null,ho=null,fe=null,L=null,ht=null;function En(){
fo=new Map,po=new Map,nt=ho=fe=L=ht=null}function de(t){if(t.startsWith("rgb("))return 1;let e=/[,/] ?([\d.e-]+)(%?)\)$/.
exec(t);return e&&(t.startsWith("rgba(")||t.includes("/"))?Number(e[1])/(e[2]?100:1):1}var as=500,le=new Map;function mo(t){
let e=le.get(t);if(e===void 0){let o=/^rgba?\((\d+), (\d+), (\d+)/.exec(t);e=o&&[Number(o[1]),Number(o[2]),Number(o[3])],
le.size>=as&&le.clear(),le.set(t,e)}return e}var cs=(t,e)=>t.every((o,n)=>Math.abs(o-e[n])<=Zi);function Nn(t){if(!t)return Tn();
let e=fo.get(t);if(e===void 0){let o=f(t).backgroundColor,n=o==="rgba(0, 0, 0, 0)"?0:de(o);n<rt?e=Nn(d(t)):e=n<1||!mo(o)?
null:[mo(o),t],fo.set(t,e)}return e}function us(t,e){for(let o=t;o;o=d(o)){if(f(o).backgroundImage!=="none")return!0;if(o===
e)return!1}return!1}function Tn(){let t=getComputedStyle(document.documentElement).colorScheme;return/dark/.test(t)?null:
[[255,255,255],null]}var An={multiply:(t,e)=>t*e/255,screen:(t,e)=>255-(255-t)*(255-e)/255,darken:Math.min,lighten:Math.
max,difference:(t,e)=>Math.abs(t-e),exclusion:(t,e)=>t+e-2*t*e/255,"hard-light":(t,e)=>t<128?2*t*e/255:255-2*(255-t)*(255-
e)/255,overlay:(t,e)=>e<128?2*t*e/255:255-2*(255-t)*(255-e)/255,"color-dodge":(t,e)=>t===255?255:Math.min(255,e*255/(255-
t)),"color-burn":(t,e)=>t===0?0:255-Math.min(255,(255-e)*255/t),"plus-lighter":(t,e)=>Math.min(255,t+e)};function vn(t){
if(!t)return fs;let e=po.get(t);return e===void 0&&(e=vn(d(t)),An[f(t).mixBlendMode]&&(e=[t,...e]),po.set(t,e)),e}function ls(t,e,[
o,n]){for(let r of vn(t)){if(r===n||n&&r.contains(n))break;let i=An[f(r).mixBlendMode];e=e.map((a,s)=>i(a,o[s]))}return e}
function wn(t){let{textShadow:e,webkitTextStrokeWidth:o}=f(t);if(e!=="none"||o!=="0px")return!0;for(let n=t;n;n=d(n)){let r=f(
n);if(r.backgroundClip==="text"||r.webkitBackgroundClip==="text")return!0;if(r.display!=="inline"&&r.backgroundImage!=="\
none")return!1}return!1}var fs=[],Rn=(t,e)=>t.left<e.right&&t.right>e.left&&t.top<e.bottom&&t.bottom>e.top;function On(){
if(nt)return nt;nt=[...document.querySelectorAll(ss)].map(t=>({element:t,picture:!0}));for(let t of l&(W|I)?H||document.
querySelectorAll("body *"):[]){let{position:e,transform:o}=f(t),n=e==="static"&&o==="none"?null:_n(t);n&&nt.push(n)}for(let t of nt)
t.box=t.element.getBoundingClientRect();return nt}function _n(t){let e=f(t),o=e.backgroundImage!=="none",n=e.backgroundColor===
"rgba(0, 0, 0, 0)"?0:de(e.backgroundColor);return o||n>=rt?{element:t,solid:n===1,style:e}:null}function ds(t,e){if(t===
e)return!0;let o=t.getBoundingClientRect();if(l&T){for(let n=t;n&&n!==e;n=d(n))for(let r of["::before","::after"])if(!/^(?:none|normal)$/.
test(getComputedStyle(n,r).content))return!1}return!On().some(n=>!n.element.contains(t)&&!t.contains(n.element)&&Rn(o,n.
box))}var $=(t,e)=>t.endsWith("%")?parseFloat(t)/100*e:parseFloat(t);function ps(t,e){let o=os.exec(t);if(!o)return ms(t);
let n=o[2].split(/ (?:at|round) /)[0],r=n.split(/[ ,]+/).filter(Boolean),i=Math.min(e.width,e.height);switch(o[1]){case"\
circle":return $(r[0]||"50%",i)<1;case"ellipse":return $(r[0]||"50%",e.width)<1||$(r[1]||"50%",e.height)<1;case"inset":{
let[a,s=a,c=a,u=s]=r;return $(a,e.height)+$(c,e.height)>e.height-1||$(u,e.width)+$(s,e.width)>e.width-1}case"rect":return r.
every(a=>parseFloat(a)===parseFloat(r[0]));case"xywh":return parseFloat(r[2])===0||parseFloat(r[3])===0;case"polygon":return bs(
n,e)<1}return!1}var hs=/^rect\((\S+)px, (\S+)px, (\S+)px, (\S+)px\)$/;function bo(t){let e=t.clip==="auto"?null:hs.exec(
t.clip);if(!e||!/absolute|fixed/.test(t.position))return!1;let[o,n,r,i]=e.slice(1).map(Number);return r-o<1||n-i<1}function ms(t){
let e=/^url\("#([^"]+)"\)/.exec(t),o=e&&document.getElementById(e[1]);return!!o&&o.childElementCount===0}function bs(t,e){
let o=t.split(",").map(r=>r.trim().split(/ +/)).filter(r=>r.length===2).map(([r,i])=>[$(r,e.width),$(i,e.height)]),n=o.reduce(
(r,[i,a],s)=>{let[c,u]=o[(s+1)%o.length];return r+i*u-c*a},0);return Math.abs(n/2)}function gs(t){let e=t.maskImage;if(!e||
e==="none")return!1;if(/^0(?:px|%)(?: 0(?:px|%))?$/.test(t.maskSize))return!0;let o=/gradient\(/.test(e)&&!/url\(/.test(
e)?e.match(rs):null;return!!o&&o.every(n=>de(n)<rt)}function Ct(t,e,o){if(o&O&&Number(e.opacity)<rt)return!0;if(o&tt){let c=e.
clipPath;if(c!=="none"&&ps(c,t.getBoundingClientRect())||bo(e))return!0}if(o&Qt&&gs(e))return!0;if(o&Qe){let c=e.filter;
if(c!=="none"&&ns.test(c))return!0}let n=is.has(t.localName),r=n||o&Yt&&e.overflowX!=="visible"||o&tt&&e.clip!=="auto",i=o&
I&&e.transform!=="none",a=o&W&&e.position!=="static"||i;if(a&&L&&L.push(t),!r&&!a)return!1;let s=t.getBoundingClientRect();
return a&&(s.right+scrollX<=0||s.bottom+scrollY<=0)||n&&s.width<=yn&&s.height<=yn?!0:r?s.width<1||s.height<1||s.width<=1&&
s.height<=1:i&&(s.width<1||s.height<1)?t.offsetWidth>0&&t.offsetHeight>0:s.width===0&&s.height===0&&t.offsetWidth>0}var xs=/^(?:canvas|video|audio|progress|meter)$/;
function mt(t,e,o){let n=t.localName;if(xs.test(n)||n==="details"&&!t.open||o&C&&e.contentVisibility==="hidden"||o&Xt&&parseFloat(
e.fontSize)<2)return!0;if(o&zt){let r=e.textIndent;if(r[0]==="-"&&parseFloat(r)<-500)return!0}if(o&Jt){let r=e.letterSpacing,
i=r==="normal"?0:parseFloat(r)/parseFloat(e.fontSize);if(i<ts||i>es)return!0}return(o&(ft|_t|Lt))!==0&&Ss(t,e,o)}function Ss(t,e,o){
let n=e.webkitTextFillColor;if(de(n)<rt)return!wn(t);let r=mo(n),i=r&&(o&_t?Nn(t):Tn());return!i||(o&Lt&&(r=ls(t,r,i)),!cs(
r,i[0])||us(t,i[1]))?!1:!wn(t)&&ds(t,i[1])}function bt(t,e){return l&(W|I)?fe?fe.has(t):ht?(ht.push(t,e),!1):(ho??=On().
filter(Dn),In(ho,t,e)):!1}function kn(){L=[],ht=[]}function Ln(){let e=L.map(r=>_n(r)).filter(r=>r&&Dn(r));for(let r of e)
r.box=r.element.getBoundingClientRect();let o=ht;if(L=ht=null,!e.length)return!1;let n=new Set;for(let r=0;r<o.length;r+=
2)In(e,o[r],o[r+1])&&n.add(o[r]);return n.size&&(fe=n),n.size>0}function Dn(t){if(t.picture||!t.solid)return!1;let{position:e,
opacity:o,visibility:n}=t.style;return o==="1"&&n==="visible"&&!/fixed|sticky/.test(e)}function In(t,e,o){if(!t.length)return!1;
let n=o.getBoundingClientRect();return t.some(r=>Rn(n,r.box)&&ys(r,e,o))}function ys(t,e,o){if(t.element.contains(o)||o.
contains(t.element))return!1;let n=document.createRange();n.selectNodeContents(e);let r=n.getBoundingClientRect(),{box:i}=t;
if(!(i.left<=r.left+1&&i.right>=r.right-1&&i.top<=r.top+1&&i.bottom>=r.bottom-1)||!r.width)return!1;let[s,c]=[(r.left+r.
right)/2,(r.top+r.bottom)/2];if(s>=0&&c>=0&&s<innerWidth&&c<innerHeight){let u=o.getRootNode().elementsFromPoint(s,c),[m,
B]=[u.indexOf(t.element),u.indexOf(o)];if(m>=0&&B>=0)return m<B}return ws(t.element,o)}function ws(t,e){let o=null;for(let r=e;r&&
!r.contains(t);r=d(r))(f(r).position!=="static"||f(r).transform!=="none")&&(o=r);let n=r=>Number(r?f(r).zIndex:0)||0;return n(
t)!==n(o)?n(t)>n(o):!o||!!(o.compareDocumentPosition(t)&Node.DOCUMENT_POSITION_FOLLOWING)}function pe(t){if(!(l&(Zt|W|I|
O|tt|Qt)))return!1;let e=t.firstChild;if(e&&!e.nextSibling&&e.nodeType===3)return mt(t,f(t),l)||bt(e,t);let o=document.createTreeWalker(
t,NodeFilter.SHOW_TEXT);for(let n=o.nextNode();n;n=o.nextNode()){let r=n.parentElement;if(!(A(n.data)||!r||!r.checkVisibility())){
if(mt(r,f(r),l)||bt(n,r))return!0;for(let i=r;i&&i!==t;i=d(i))if(Ct(i,f(i),l))return!0}}return!1}var gt=null;function Mn(){gt=null}function Es(t){if(t.localName==="details"&&!t.open){let r=t.querySelector(":scope > su\
mmary");return r?[r]:[]}let e=x(t);e&&U(e);let o=e?e.childNodes:t.childNodes;if(t.localName==="slot"&&t.assignedNodes){let r=t.
assignedNodes();r.length&&(o=r)}let n=t.getAttribute("aria-owns");return n?[...o,...Mt(t,n).filter(r=>Rt(r)===t)]:o}var Ns=/"(?:[^"\\]|\\.)*"|open-quote|close-quote|counters?\((?:[^()"]|"[^"]*")*\)/g,
Ts={"open-quote":"“","close-quote":"”"};function Cn(t,e){if(!(l&T))return null;let o=getComputedStyle(t,e),n=o.content;
if(n==="none"||n==="normal"||n===""||o.display==="none"||o.visibility!=="visible")return null;let r=n.indexOf(" / "),i=(r<
0?n:n.slice(r)).match(Ns);if(!i)return null;let a=c=>c.startsWith("counter")?r<0?"":vs(t,e).get(/\(([^,)]+)/.exec(c)[1].
trim())??0:Ts[c]||c.slice(1,-1).replace(/\\(.)/g,"$1");return{text:i.map(a).join(""),apart:r>=0||!xo(o)}}var As=2e4;function vs(t,e){
return gt||(gt=new Map,Bn(document.documentElement,new Map,0,{left:As})),gt.get(t)?.[e]||new Map}function Bn(t,e,o,n){if(--n.
left<0||f(t).display==="none")return;let r=new Map(e);Fn(f(t),r,o);for(let[i,a]of r)a.level===o&&(e.get(i)?.level??o)===
o&&e.set(i,a);Un(t,"::before",r,o+1);for(let i=Ft(t);i;i=it(i))(i.nodeType===1||D(i))&&Bn(i,r,o+1,n);Un(t,"::after",r,o+
1)}function Un(t,e,o,n){let r=getComputedStyle(t,e);if(/^(?:none|normal)?$/.test(r.content)||(Fn(r,o,n),!r.content.includes(
"counter")))return;let i=new Map([...o].map(([a,s])=>[a,s.value]));gt?.set(t,{...gt.get(t),[e]:i})}function Fn(t,e,o){for(let[
n,r]of go(t.counterReset))e.set(n,{value:r,level:o});for(let[n,r]of go(t.counterIncrement,1))e.has(n)||e.set(n,{value:0,
level:o}),e.get(n).value+=r;for(let[n,r]of go(t.counterSet)){let i=e.get(n);i?i.value=r:e.set(n,{value:r,level:o})}}function go(t,e=0){
return!t||t==="none"?[]:[...t.matchAll(/([^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map(([,o,n])=>[o,n===void 0?e:Number(n)])}var Rs=h(
"inline ruby ruby-text"),xo=t=>Rs.has(t.display)&&(!(l&Kt)||t.float==="none")&&(!(l&W)||!/absolute|fixed/.test(t.position)),
Os=100,_s=/[^ \t\n\r\f]$/,ks=/^[^ \t\n\r\f]/,So=class{constructor(){this.text="",this.head=!1,this.tail=!1,this.empty=!0}add(e,o,n=o){
e&&((o||this.tail)&&_s.test(this.text)&&ks.test(e)&&(this.text+=" "),this.text+=e,this.empty&&(this.head=o),this.empty=!1),
this.tail=n}get from(){return"content"}};function Ut(t,e){e.visited.add(t);let o=Es(t),n=new So,r=Cn(t,"::before");r&&n.
add(r.text,r.apart);let i=Os;for(let s of o){if(i--===0)break;s.nodeType===3?(e.hidden||!(l&E)||f(t).visibility==="visib\
le")&&n.add(Cs(s,t),!1):s.nodeType===1&&Ls(s,t,e,n)}let a=Cn(t,"::after");return a&&n.add(a.text,a.apart),n}function Ls(t,e,o,n){
if(t.localName==="br")return n.add(`
`,!1);if(je.has(t.localName))return;if(o.visited.has(t))return n.add("",!xo(f(t)));let r=Rt(t);if(r&&r!==e)return;let i=Bt(
t);if(i&&!o.hidden){i==="hidden"&&!o.referenced&&f(t).visibility!=="visible"&&n.add(Ut(t,o).text,!1);return}if(o.actions?.
includes(t))return;let a=(o.depth||0)+1,s=xt(t,{...o,within:!0,depth:a});if(!s.text&&Is(t)){t.textContent&&A(t.textContent)&&
n.add(" ",!1);return}let c=s.from!=="content"||o.hidden==="unpainted"||r!==void 0||!xo(f(t));n.add(s.text,c||!!s.head,c||
!!s.tail)}var Ds=h("input select textarea button object embed iframe progress meter math video audio wbr hr");function Is(t){
let e=t.localName;if(Ds.has(e)||e==="img"&&!t.hasAttribute("alt")&&y(t)!=="none"||e==="svg"&&t.firstElementChild)return!1;
let o=f(t);return l&Kt&&o.float!=="none"||l&W&&/absolute|fixed/.test(o.position)?!1:o.display.startsWith("inline")||o.display===
"ruby"}function Cs(t,e){if(!(l&F))return t.data;let o=f(e).textTransform;return o==="none"?t.data:o==="uppercase"?t.data.
toUpperCase():o==="lowercase"?t.data.toLowerCase():o==="capitalize"?t.data.replace(new RegExp("(^|\\s)\\p{L}","gu"),n=>n.
toUpperCase()):t.data}var Us=/:focus(?:-visible|-within)?(?![\w-])/,Ms=/:not\(\s*:focus(?:-visible|-within)?\s*\)|:focus(?:-visible|-within)?(?![\w-])/g,
Bs=/(?:^|[\s;])(?:(?:left|right|top|bottom|inset|clip|clip-path|margin|width|height)[\w-]*\s*:|position\s*:\s*static|(?:transform|translate)\s*:[^;]*(?:none|translate|0px))/;var yo=new Map;function Pn(){yo=new Map}function Fs(t){let e=yo.get(t);if(e===void 0){let o=[],n=5e3,r=(a,s)=>{for(let c of a){
if(--n<0)return;let u=c.selectorText,m=u===void 0?s:u.replaceAll("&",`:is(${s||"*"})`);u!==void 0&&Us.test(m)&&Bs.test(c.
style.cssText)&&o.push(m),c.styleSheet?i(c.styleSheet):c.cssRules?.length&&r(c.cssRules,m)}},i=a=>{try{a.disabled||r(a.cssRules,
"")}catch{n--}};for(let a of[...t.styleSheets,...t.adoptedStyleSheets])i(a);e=o.map(Ps).filter(Hs).join(),yo.set(t,e)}return e}
var Ps=t=>t.replace(Ms,(e,o)=>o===0||/[\s>+~,(]/.test(t[o-1])?"*":"");function Hs(t){if(t==="*")return!1;try{return document.
createDocumentFragment().querySelector(t),!0}catch{return!1}}function wo(t){if(t.tabIndex<0||t.disabled)return"";let e=t.
getRootNode(),o=e.styleSheets?Fs(e):"";return o&&t.closest(o)?"unfocused":""}var jt=new Map,No=new Map,To=new Map,Ao=new Map,St=null,he,R=()=>{jt=new Map,No=new Map,To=new Map,Ao=new Map,St=null,he=
void 0,gn(),nn(),En(),Pn(),Mn()},Ws=h("button cell checkbox columnheader DisclosureTriangle gridcell heading LayoutTable\
Cell link math menuitem menuitemcheckbox menuitemradio option radio rowheader switch tab term tooltip treeitem graphics-\
object doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle"),$s=h("Abbr Canvas caption code definition dele\
tion DescriptionList emphasis Figcaption generic insertion LabelText LayoutTable LayoutTableRow Legend list listitem mar\
k none paragraph Ruby strong subscript superscript SvgRoot time table row rowgroup"),Gs=h("address details"),$n=h("capti\
on code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript time"),
qs=h("textbox searchbox combobox spinbutton"),ue=h("div span"),Gn=h("div span p ul ol li b i em strong small code sectio\
n article main nav header footer aside dl dd tbody thead"),qn={__proto__:null,table:"LayoutTable",tr:"LayoutTableRow",td:"\
LayoutTableCell",th:"LayoutTableCell"},uo=h("input select textarea"),Vs=h("button input meter output progress select tex\
tarea"),G=t=>!J||ao(t)?y(t):(so(),t.computedRole||qn[t.localName]||y(t)),q=t=>{if(!J)return st(t);let e=t.localName;if(Gn.
has(e)&&!t.hasAttributes())return"";let o=co(t,e);return o!==null?o:e==="input"&&t.type==="file"||uo.has(e)&&Ys()?st(t):
(so(),t.computedName||(js(t)?st(t):""))};function js(t){if(ot!==ae)return!1;let e=document.querySelector("dialog:modal,:\
fullscreen");return e!==null&&!e.contains(t)}function Ys(){return he===void 0&&(he=document.querySelectorAll("input,sele\
ct,textarea").length*document.getElementsByTagName("*").length>4e5),he}var zs={own:[y,st],native:[t=>G(t),t=>q(t)],chrome:[
t=>t.computedRole||qn[t.localName]||y(t),t=>t.computedName],sure:[t=>ao(t)?y(t):null,t=>co(t,t.localName)]},Vn=t=>{R(),X();
let[e,o]=zs[t],n=[],r=i=>{i.shadowRoot&&U(i.shadowRoot),n.push([e(i),o(i)]);let a=i.shadowRoot?[i.shadowRoot,i]:[i];for(let s of a)
for(let c of s.childNodes)c.nodeType===1&&r(c)};return r(document.documentElement),n};function f(t){let e=To.get(t);return e||
To.set(t,e=getComputedStyle(t)),e}var v=(t,e)=>{let o=t.getAttribute(e);return o&&o.trim()?o:""};function st(t){let e=No.
get(t);return e===void 0&&(e=dn(t)??(t.localName==="br"?`
`:Xs(t)?"":Ks(t)),No.set(t,e)),e}var Xs=t=>Gn.has(t.localName)&&!t.hasAttributes()||$n.has(y(t))&&t.namespaceURI!==lt&&!jn(
t)&&!(t.hasAttribute("aria-label")||t.hasAttribute("aria-labelledby")||t.hasAttribute("aria-labeledby")||t.hasAttribute(
"contenteditable")),jn=t=>t.localName.includes("-");function Ks(t){let{text:e,from:o}=xt(t,{visited:new Set});if(!e)return"";
let n=It(e);return n[0]!==" "&&n[n.length-1]!==" "||o!=="content"||f(t).whiteSpace==="pre"?n:_(n)}function Ye(t){let e=t.
getAttribute("aria-labelledby")||t.getAttribute("aria-labeledby");return e?Mt(t,e):[]}function Mt(t,e){let o=t.getRootNode(),
n=[];for(let r of e.split(/\s+/)){let i=r&&o.getElementById&&o.getElementById(r);i&&n.push(i)}return n}function pt(t){let e=t.
getRootNode(),o=Ao.get(e);if(!o){o=new Map;for(let n of e.querySelectorAll?e.querySelectorAll("label"):[]){let r=n.control;
if(!r)continue;let i=o.get(r);i?i.push(n):o.set(r,[n])}Ao.set(e,o)}return o.get(t)||[]}function Rt(t){if(!St){St=new Map;
for(let e of document.querySelectorAll("[aria-owns]"))if(!/hidden|inert/.test(Yn(e)))for(let o of Mt(e,e.getAttribute("a\
ria-owns")))St.has(o)||o.contains(e)||!o.checkVisibility()||St.set(o,e)}return St.get(t)}function Bt(t){let e=f(t),o=e.display;
return o==="none"||o===""?"unpainted":t.inert||l&C&&e.contentVisibility==="hidden"&&o!=="inline"?"inert":l&E&&e.visibility!==
"visible"||t.getAttribute("aria-hidden")==="true"?"hidden":""}function Yn(t){for(let e=t;e;e=d(e)){let o=Bt(e);if(o)return o}
return""}function xt(t,e){if(t.localName==="slot")return Hn(t,"generic",e)?Ut(t,e):{text:"",from:"content"};!e.within&&t.
hasAttribute("aria-actions")&&(e={...e,actions:Mt(t,t.getAttribute("aria-actions"))});let o=e.referenced?[]:Ye(t);if(o.length){
let i=ta(o,e);if(i)return{text:i,from:"reference"}}let n=y(t);if(e.within){let i=ea(t,n,e);if(i)return{text:i,from:"valu\
e"}}let r=v(t,"aria-label");if(r)return{text:r,from:"attribute"};if(n!=="none"){let i=ra(t,n,e);if(i!==null)return{text:i,
from:"native"}}if(Hn(t,n,e)){if(e.depth>Qs)return{text:t.textContent,from:"content"};let i=Ut(t,e);if(!A(i.text))return i}
return{text:aa(t,n),from:"attribute"}}var Qs=600,Js=h("select progress map object video audio");function Hn(t,e,o){return zn(
t)?o.within:Ws.has(e)?!0:o.referenced&&o.within&&!Js.has(t.localName)?e!=="group"||!o.hidden||!o.depth:e==="row"&&!o.within?
Zs(t):o.within&&($s.has(e)||Gs.has(t.localName))}function Zs(t){for(let e=d(t);e;e=d(e)){let o=y(e);if(o==="grid"||o==="\
treegrid")return!0;if(o==="table")return!1}return!1}function zn(t){let e=t.getAttribute("contenteditable");return e!==null&&
e!=="false"&&t.isContentEditable}function ta(t,e){let o=[];for(let n of t){let r=Yn(n);if(r==="inert")continue;let i={visited:new Set(
e.visited),referenced:!0,within:!0,hidden:r};o.push(_(xt(n,i).text))}return o.filter(Boolean).join(" ")}function ea(t,e,o){
switch(e){case"textbox":case"searchbox":return vo(t)?Wn(t):t.textContent;case"combobox":case"listbox":return t.localName===
"select"?Array.from(t.selectedOptions,n=>n.label).join(" "):vo(t)?Wn(t):oa(t,o);case"slider":case"scrollbar":case"spinbu\
tton":case"progressbar":case"meter":return na(t,e)}return null}var vo=t=>t.localName==="input"||t.localName==="textarea",
Wn=t=>t.type==="password"?"•".repeat(t.value.length):t.value;function oa(t,e){let o=Array.from(t.querySelectorAll('[ro\
le="option"][aria-selected="true"]')),n={...e,within:!0};return o.map(r=>_(Ut(r,n).text)).join(" ")}function na(t,e){let o=t.
getAttribute("aria-valuetext")||t.getAttribute("aria-valuenow");if(o)return o;let n=t;return t.localName==="progress"?n.
position<0?null:String(n.value):t.localName==="input"||t.localName==="meter"?String(n.value):e==="slider"||e==="scrollba\
r"?"50":e==="progressbar"?null:"0"}function ra(t,e,o){let n=t.localName;if(t.namespaceURI===lt)return Eo(t,"title",o);if(Vs.
has(n)||n.includes("-")){let r=sa(t,o);if(r)return r}switch(n){case"input":return ia(t);case"img":case"area":return t.getAttribute(
"alt");case"fieldset":return Eo(t,"legend",o);case"table":return Eo(t,"caption",o)||v(t,"summary")||null;case"optgroup":case"\
option":return v(t,"label")||null;case"abbr":case"acronym":return!o.within&&v(t,"title")||null}return null}function ia(t){
switch(t.type){case"button":return t.value||null;case"submit":return t.hasAttribute("value")?t.value:"Submit";case"reset":
return t.hasAttribute("value")?t.value:"Reset";case"image":return v(t,"alt")||v(t,"value")||v(t,"title")||"Submit";case"\
file":return"Choose File"}return null}function sa(t,e){let o=pt(t);if(!o.length)return"";let n=[],r=new Set(e.visited).add(
t);for(let i of o){let a=Bt(i);if(a&&a!=="inert"||r.has(i))continue;let s=ie(i,t);if(s!==null){n.push(s);continue}let c={
visited:r,within:!0,referenced:e.referenced};n.push(_(xt(i,c).text))}return n.filter(Boolean).join(" ")}function Eo(t,e,o){
for(let n=t.firstElementChild;n;n=n.nextElementSibling){if(n.localName!==e)continue;if(e==="title")return n.textContent;
if(Bt(n))return null;let r=new Set(o.visited).add(t);return _(xt(n,{...o,visited:r,within:!0}).text)||null}return null}function aa(t,e){
if(!$n.has(e)||jn(t)||zn(t)){let o=v(t,"title");if(o&&o!==_(t.textContent))return o}return qs.has(e)?vo(t)&&v(t,"placeho\
lder")||v(t,"aria-placeholder"):""}var me=0,yt=1,ge=t=>(me||=t,yt=Math.max(yt,t),[!!J,me]),wt=new Map,Xn=new WeakMap,Pt=new WeakMap,Nt=new WeakMap,at=(t,e)=>{
let{get:o}=Object.getOwnPropertyDescriptor(t.prototype,e);return n=>o.call(n)},D=t=>t instanceof HTMLFormElement,ca=at(Node,
"parentNode"),it=at(Node,"nextSibling"),Ft=at(Node,"firstChild"),ua=at(Element,"assignedSlot"),la=at(HTMLFormElement,"el\
ements"),fa="nodeType localName tabIndex attributes hasAttribute getAttribute getBoundingClientRect matches checkVisibil\
ity isContentEditable children childElementCount firstElementChild firstChild offsetHeight offsetWidth textContent close\
st labels required readOnly inert isConnected getRootNode getClientRects computedRole computedName shadowRoot querySelec\
torAll".split(" "),K=t=>{let e=la(t);return fa.some(o=>e.namedItem(o))},x=t=>{let e=t.shadowRoot||Pt.get(t);return e&&e.
nodeType===11?e:null};function d(t){let e=D(t),o=e?ua(t):t.assignedSlot;if(o)return o;let n=e?ca(t):t.parentNode;return D(
n)?n:n&&n.nodeType===11?n.host||xe(n):n&&n.nodeType===1?n:null}var Qn=new WeakMap,xe=t=>Qn.get(t)||null;function Et(t,e){
for(let o=t;o;o=d(o))if(o===e)return!0;return!1}function Ht(){let t=document.compatMode==="BackCompat"?document.body:document.
documentElement;return{width:t?.clientWidth||innerWidth,height:t?.clientHeight||innerHeight}}function ct(t,e){let o=document.
elementFromPoint(t,e);for(let n=o&&x(o);n;n=o&&x(o)){let r=n.elementFromPoint(t,e);if(!r||r===o)break;o=r}return o}function Q(t,e){
if(!e)return!1;if(Et(e,t))return!0;for(let o=e;o;o=d(o)){if(o.localName==="label")return o.control===t;if(o.localName===
"area")return o===t}if(t.localName==="area"){let o=t.closest("map");return e.localName==="img"&&!!o&&e.useMap==="#"+o.name}
return t.localName==="option"&&Et(e,t.closest("select"))}var Oo=t=>t.overflowX!=="visible"||t.overflowY!=="visible";function Se(t,e,o){
for(let n=d(t);n&&n!==document.documentElement;n=d(n)){if(n===document.body||!Oo(getComputedStyle(n)))continue;let r=n.getBoundingClientRect();
if(e<r.left||e>r.right||o<r.top||o>r.bottom)return r.width<1||r.height<1?"flat":"yes"}return""}function ye(t,e){for(let o=d(
t);o&&o!==document.documentElement;o=d(o)){if(!o.scrollTop&&!o.scrollLeft)continue;let n=o.getBoundingClientRect();if(e.
bottom+o.scrollTop>n.top&&e.right+o.scrollLeft>n.left)return!0}return!1}function we(t,e=t.getBoundingClientRect()){let o=[
[e.left+e.width/2,e.top+e.height/2]],n=t.getClientRects();if(n.length>1&&n.length<20)for(let r of n)r.width>1&&r.height>
1&&o.push([r.left+r.width/2,r.top+r.height/2]);return o}var Kn=[.08,.29,.5,.71,.92];function da(t){let{width:e,height:o}=Ht(),
[n,r]=[Math.max(t.left,0),Math.min(t.right,e)],[i,a]=[Math.max(t.top,0),Math.min(t.bottom,o)];if(r-n<1||a-i<1)return[];let s=Kn.
flatMap(u=>Kn.map(m=>[u,m])),c=([u,m])=>(u-.5)**2+(m-.5)**2;return s.sort((u,m)=>c(u)-c(m)),s.map(([u,m])=>[n+(r-n)*u,i+
(a-i)*m])}var pa="a[href],button,input,select,textarea,summary,label,[onclick],[tabindex],[contenteditable]";function Ee(t,e){
for(let[o,n]of da(e.getBoundingClientRect())){let r=ct(o,n);if(!r||!(Q(t,r)||Et(r,e)))continue;let i=r;for(;i&&i!==t&&i!==
e&&!i.matches(pa);)i=d(i);if(i===t||i===e||!Et(r,t))return[o,n]}return null}function _o(t){for(let e of t.children){let o=e.
getBoundingClientRect();if(o.width>=1&&o.height>=1&&e.checkVisibility())return!0}return!1}function Wt(t){let e=t.localName;
return t.id&&typeof t.id=="string"?e+="#"+t.id:typeof t.className=="string"&&t.className.trim()&&(e+="."+t.className.trim().
split(et).slice(0,2).join(".")),`<${b(e,60)}>`}function ko(t){return b(g(t.innerText||t.textContent||""),100)}var Lo=t=>/^(iframe|frame|fencedframe)$/.
test(t.localName),Ne=t=>b(g(t.title||t.name||""),100),Te=t=>At(t,"iframe",Ne(t));function Do(t,e,o=M(t)){let n=ma.get(e);
if(e==="input"?n=lo.get(t.type):e==="a"&&t.hasAttribute("href")?n="link":e==="select"&&(n=t.multiple||t.size>1?"":"combo\
box"),o&w){let r=o&k||!ue.has(e)?null:t.getAttribute("role");n=ba.has(r)?r:""}return n&&t.namespaceURI===N?n:Io(t)||"gen\
eric"}var ha={__proto__:null,LayoutTable:"table",LayoutTableRow:"row",LayoutTableCell:"cell"},Io=t=>{let e=G(t);return ha[e]||
e},ma=new Map([["div","generic"],["span","generic"],["p","generic"],["label","LabelText"],["button","button"],["h1","hea\
ding"],["h2","heading"],["h3","heading"],["h4","heading"],["h5","heading"],["h6","heading"],["section","generic"]]),ba=new Set(
["button","link"]),lo=new Map([["text","textbox"],["email","textbox"],["tel","textbox"],["url","textbox"],["password","t\
extbox"],["search","searchbox"],["number","spinbutton"],["checkbox","checkbox"],["radio","radio"],["submit","button"],["\
button","button"]]),w=1,$t=2,be=4,k=8,ga=16,ne=32,Ro=new Map([["role",w],["tabindex",w],["title",w|k],["list",w|k],["con\
tenteditable",w|k],["aria-disabled",w|k|$t|be],["inert",be],["onclick",ga],["hidden",ne],["draggable",w|k],["autofocus",
w|k]]);function M(t){if(!t.hasAttributes())return 0;let e=0;for(let o of t.getAttributeNames()){let n=Ro.get(o);e|=n===void 0?
xa(o):n}return e}function xa(t){let e=0;return t.startsWith("aria-")?e=w|k|$t:/^(?:popover|command)/.test(t)&&(e=w|k|ne),
Ro.size<1e3&&Ro.set(t,e),e}function Tt(t){if(Lo(t))return["iframe",Ne(t)];let e=Do(t,t.localName),o=b(g(q(t)||""),200)||
Ae(t,e);return[e,o]}var Ae=(t,e)=>t.localName==="area"?b(g(t.alt||t.title),100):(e==="generic"||e==="none"||e==="cell"||
e==="row")&&!t.isContentEditable?b(g(t.textContent.slice(0,400)),100):"";function At(t,e,o){let n=Xn.get(t);if(n!==void 0){
let i=wt.get(n);if(i&&i.role===e&&i.name===o)return n}let r=yt++;return wt.set(r,{element:new WeakRef(t),role:e,name:o}),
Xn.set(t,r),r}function V(){let t=document.activeElement;for(let e=t&&x(t);e&&e.activeElement;)t=e.activeElement,e=x(t);return t}
var ve=t=>`${t.matches(":defined")} ${t.offsetWidth} ${t.offsetHeight}`;function Jn(t,e){Nt.set(t,ve(t)),e&&(Pt.set(t,e),
Qn.set(e,t))}var Re=[],Oe=t=>(Re=t.slice(0,64)).length,Zn=t=>Re[t],tr=t=>(R(),At(t,...Tt(t))),_e=()=>yt;function er(t){let e=t.
closest("map");return e&&t.getRootNode().querySelector(`img[usemap="#${CSS.escape(e.name)}"]`)}var ke=t=>{if(t.localName===
"area")return!!er(t)?.checkVisibility();let e=!!t.labels?.length;if(!t.checkVisibility({visibilityProperty:!0}))return e;
let o=t.getBoundingClientRect();return o.width>0&&o.height>0||e||_o(t)};function Le(t){if(t.localName!=="area")return null;
let e=er(t);if(!e)return null;let o=e.getBoundingClientRect(),{coords:n,shape:r}=t,i=n.split(",").map(Number);if(i.length<
3)return[[o.left+o.width/2,o.top+o.height/2]];if(r==="circle")return[[o.left+i[0],o.top+i[1]]];let a=0,s=0;for(let u=0;u+
1<i.length;u+=2)a+=i[u],s+=i[u+1];let c=Math.floor(i.length/2)||1;return[[o.left+a/c,o.top+s/c]]}var De=t=>{let e=b(ko(t),
40);return e?` "${e}"`:""};var ir=["pointerdown","mousedown","pointerup","mouseup","click","dblclick","auxclick","contextmenu"],Sa=5e3,ya=6e4,S=null;
function Co(t,e){Ie();let o=performance.now()+Sa,n=e?cr(t):null,r=[window,...Na(t)];S={element:t,wording:n,events:[],blocked:"",
cut:"",until:o,places:r};for(let i of r)for(let a of ir)i.addEventListener(a,ar,{capture:!0,passive:!1})}function sr(t){
Co(t,!1),S.around=!0}function Ie(){if(S){for(let t of S.places)for(let e of ir)t.removeEventListener(e,ar,{capture:!0});
S=null}}function ar(t){if(!S||!t.isTrusted||performance.now()>S.until)return;let{element:e,events:o,around:n}=S;if(n&&!S.
blocked&&!t.type.endsWith("down"))return;let r=t.composedPath()[0],i=r instanceof Node;if(i&&Uo(e,r))return;if(i&&!n&&Q(
e,r)&&!S.blocked&&wa(S)){o.length||Ea(S),o.push(t.type);return}if(o.length&&!S.blocked&&t.type.endsWith("up"))return;let s=r instanceof
Element?Wt(r)+De(r):"the page";o.length&&!S.blocked?S.cut=S.cut||s:S.blocked=S.blocked||s,t.preventDefault(),t.stopImmediatePropagation()}
var wa=t=>t.wording===null||t.events.includes("click")||cr(t.element)===t.wording;function Ea(t){t.until+=ya,typeof globalThis.
pilothousePressed=="function"&&globalThis.pilothousePressed("")}function cr(t){let e=[t.textContent.slice(0,2e3)];for(let n of[
"aria-label","title","alt","placeholder"])e.push(t.getAttribute(n));let o=t;/^(button|submit|reset)$/.test(o.type)&&e.push(
o.value);for(let n of t.labels||[])e.push(n.textContent);for(let n of(t.getAttribute("aria-labelledby")||"").split(et))n&&
e.push(t.getRootNode().getElementById?.(n)?.textContent);for(let n of t.querySelectorAll("img[alt],[aria-label]"))e.push(
n.getAttribute("aria-label")||n.alt);return e.join(`
`)}function Na(t){let e=[];for(let o=t.getRootNode();o&&o.nodeType===11;){let n=o.host||xe(o);if(!n)break;Pt.get(n)===o&&
e.push(o),o=n.getRootNode()}return e}function Uo(t,e){for(let o=t.getRootNode();o&&o.nodeType===11;){let n=o.host||xe(o);
if(!n)return!1;if(n===e)return Pt.has(n);o=n.getRootNode()}return!1}var p=null,Gt=new Set,ur=t=>{Gt.size<500&&Gt.add(t)};
function Ce(){p?.observer.disconnect();let t={added:0,removed:0,attributes:0,text:0,inputs:0,scrolled:0},e=new MutationObserver(
Mo),o={childList:!0,attributes:!0,characterData:!0,subtree:!0};e.observe(document,o);for(let n of Gt)n.isConnected?e.observe(
n,o):Gt.delete(n);p={observer:e,counts:t,focus:V(),href:location.href,told:null,live:Ra(),invalid:new Set,tried:!1,submitted:!1};
for(let[n,r]of fr)addEventListener(n,r,!0)}var or="[role=alert],[role=status],[role=alertdialog],output,[aria-live=polit\
e],[aria-live=assertive]",Ta=200,Aa=5,va=200;function lr(){let t=[...document.querySelectorAll(or)];for(let e of Gt)e.isConnected&&
t.push(...e.querySelectorAll(or));return t.slice(0,Ta)}var Ra=()=>new Map(lr().map(t=>[t,t.textContent]));function Oa(t){
let e=[],o=null;for(let n of lr()){if(o&&o.contains(n)||n.textContent===(t.get(n)??"")||!n.checkVisibility({opacityProperty:!0,
visibilityProperty:!0}))continue;let r=b(g(n.innerText??n.textContent),va);if(!r)continue;o=n;let i=n.getAttribute("role")===
"status"||n.localName==="output"?"status":"alert";if(e.push(`${i}: ${r}`),e.length===Aa)break}return e}var _a=5;function ka(t){
let e=t.composedPath()[0];p&&t.isTrusted&&p.invalid.size<_a&&p.invalid.add(e)}function La(){p&&(p.submitted=!0)}function nr(t){
if(!p)return;let e=t.composedPath()[0];if(t.type==="click"&&e.localName==="input"&&e.type==="file"&&(p.chooser=!0),t.type===
"click"&&e instanceof Element&&Element.prototype.closest.call(e,"a[download]")&&(p.download=t),!t.isTrusted)return;let o=e instanceof
Element?Element.prototype.closest.call(e,"button,input"):null;(t.type==="keydown"?t.key==="Enter":o&&/^(submit|image)$/.
test(o.type))&&(p.tried=!0)}function Da(t){return!t.invalid.size||t.submitted?[]:(R(),Array.from(t.invalid,e=>{let[o,n]=Tt(
e);return`${b(n||o,60)}: ${b(g(e.validationMessage||"not valid"),160)}`}))}function Mo(t){if(!p)return;let{counts:e}=p;for(let o of t)
o.type==="childList"?(e.added+=o.addedNodes.length,e.removed+=o.removedNodes.length):o.type==="attributes"?e.attributes++:
e.text++;dr()}function rr(){p&&p.counts.inputs++,dr()}function Ia(){p&&p.counts.scrolled++}var fr=[["input",rr],["change",
rr],["scroll",Ia],["invalid",ka],["submit",La],["click",nr],["keydown",nr]];function dr(){p?.told&&p.told(!0)}var pr=()=>new Promise(
t=>{if(!p)return t(!1);Mo(p.observer.takeRecords());let{added:e,removed:o,attributes:n,text:r,inputs:i}=p.counts;if(e+o+
n+r+i)return t(!0);p.told=t});function hr(t){let e={events:[],blocked:"",cut:""};if(S){let{events:o,blocked:n,cut:r}=S;Object.
assign(e,{events:o,blocked:n,cut:r})}if(p){Mo(p.observer.takeRecords()),Object.assign(e,p.counts);let o=V();o!==p.focus&&
(e.focus=Bo(o)),location.href!==p.href&&(e.url=location.href),e.title=document.title,p.chooser&&(e.chooser=!0),p.download&&
!p.download.defaultPrevented&&(e.download=!0),t&&(e.alerts=Oa(p.live),e[p.tried?"refused":"invalid"]=Da(p))}if(t){Ie(),p?.
observer.disconnect(),p?.told&&p.told(!1);for(let[o,n]of fr)removeEventListener(o,n,!0);p=null,document.documentElement?.
getBoundingClientRect()}return e}function Bo(t){if(!t||t===document.body||t===document.documentElement)return"nothing";R();
let[e,o]=Tt(t);return o?`${e} "${b(o,60)}"`:`${e} ${Wt(t)}`}var mr=()=>!S||S.events.length>0&&!S.blocked;var Ue=new Set("script style template noscript head meta link title base param source track datalist".split(" ")),br=new Set(
"generic none presentation paragraph strong emphasis code time mark superscript subscript term definition label legend L\
abelText Legend abbr dfn blockquote figcaption associationlist section ruby rt rp suggestion comment".split(" ")),Fo=new Set(
"button link heading option checkbox radio switch tab menuitem menuitemcheckbox menuitemradio treeitem tooltip disclosur\
etriangle DisclosureTriangle".split(" ")),gr=new Set(["div","span","p"]),xr=new Set("cell row rowgroup caption table lis\
t listitem article main document".split(" ")),Me=new Set("textbox searchbox combobox listbox slider spinbutton progressb\
ar meter".split(" "));function Sr(t,e,o){o==="true"||o===""?t.push(e):o==="mixed"&&t.push(`${e}=mixed`)}var Ca=()=>null,Ua=new Set(["a","li","\
ul","ol","nav","main","section"]),Ma=/^(?:button|input|select|textarea|option|optgroup|fieldset)$|-/;function Be(t,e,o,n,r){
let i=[],a=t.localName;if(!(n&$t)&&!r&&Ua.has(a))return t===o&&i.push("focused"),i;let s=n&$t?u=>t.getAttribute("aria-"+
u):Ca;e==="heading"&&i.push("level="+Pa(a,s("level"))),(r||Ma.test(a)&&t.matches(":disabled"))&&i.push("disabled"),a==="\
input"&&(t.type==="checkbox"||t.type==="radio")?t.indeterminate?i.push("checked=mixed"):t.checked&&i.push("checked"):s("\
checked")&&Sr(i,"checked",s("checked")),a==="input"&&t.type==="file"&&Fa(t,i),s("pressed")&&Sr(i,"pressed",s("pressed")),
(a==="option"?t.selected:s("selected")==="true")&&i.push("selected");let c=$a(t,a,s("expanded"));return c&&i.push(c),(t.
required||s("required")==="true")&&i.push("required"),(t.readOnly&&a!=="select"||s("readonly")==="true")&&i.push("readon\
ly"),s("invalid")&&s("invalid")!=="false"&&i.push("invalid"),s("current")&&s("current")!=="false"&&i.push("current"),s("\
busy")==="true"&&i.push("busy"),t===o&&a!=="body"&&i.push("focused"),e==="dialog"&&(s("modal")==="true"||a==="dialog"&&Ha(
t))&&i.push("modal"),i}var Ba=/^[\w.,*+/-]{1,60}$/;function Fa(t,e){e.push("file-input"),t.multiple&&e.push("multiple");
let o=(t.getAttribute("accept")||"").replace(/\s+/g,"");Ba.test(o)&&e.push("accepts="+o)}function Pa(t,e){let o=parseInt(
e,10)||(/^h[1-6]$/.test(t)?Number(t[1]):2);return Math.min(Math.max(o,1),99)}var Ha=t=>{try{return t.matches(":modal")}catch{
return!1}},Wa=/^(?:input|select|textarea)$/,yr=t=>{if(!Wa.test(t.localName))return!1;try{return t.matches(":user-invalid")&&
!!t.validationMessage}catch{return!1}};function $a(t,e,o){if(e==="summary"){let n=t.parentElement;if(n&&n.localName==="d\
etails")return n.open?"expanded":"collapsed"}return o==="true"?"expanded":o==="false"?"collapsed":""}var wr=t=>t.matches(
":disabled")||Po(t);function Po(t){for(let e=t;e;e=d(e))if(!(D(e)&&K(e))&&Ho(e))return!0;return!1}var Ho=t=>t.inert||t.getAttribute(
"aria-disabled")==="true",Ga="••••••";function Wo(t,e,o=null){let n=t.localName;if(n==="select")return qa(t,
o);if(n==="input"){let i=t,a=i.type;return a==="password"?i.value?Ga:"":a==="file"?b(g(Array.from(i.files||[],s=>s.name).
join(", ")),200):/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(a)?"":b(g(i.value),200)}if(n==="textarea")return b(
g(t.value),200);if(n==="progress"||n==="meter")return String(t.value);if(t.isContentEditable&&Me.has(e))return b(g(t.innerText),
200);let r=t.getAttribute("aria-valuetext")||t.getAttribute("aria-valuenow");return r&&e!=="generic"?b(g(r),80):""}function qa(t,e){
let o=t.options,n=t.multiple?null:o[t.selectedIndex],r=t.multiple?Array.from(t.selectedOptions):n?[n]:[],i=b(r.map(u=>g(
u.label)).join(", "),100);if(e&&!t.querySelector("[label]")){let u=t.textContent;if(o.length>r.length&&e.has(u))return i+
" (or …)";e.add(u)}let a=[],s=0;for(let u of o){if(u.selected)continue;let m=b(g(u.label),30);if(s+=m.length+3,s>100)break;
a.push(m)}let c=o.length-r.length-a.length;return a.length&&(i+=` (or ${a.join(" | ")}${c>0?` | ${c} more`:""})`),i}var Va=/^(?!(?:button|input|select|textarea|option|script|style|link|meta|head|title|br)$)/,Er=t=>Va.test(t.localName)&&
!(t.localName==="a"&&t.hasAttribute("href"));var qt=[],Fe=null,Pe=new WeakSet;function Nr(t){Pe=new WeakSet;for(let e of t)qt[e]&&Pe.add(qt[e])}function Tr(){qt=[]}function Ar(t,e,o){
for(let n of t.querySelectorAll("*"))if(Er(n)){if(e.length>=o)break;e.push(n),n.shadowRoot&&Ar(n.shadowRoot,e,o)}return e}
function vr(t){Fe=new MutationObserver(()=>{}),Fe.observe(document,{childList:!0,subtree:!0}),qt=Ar(document,[],t)}function Rr(){
let t=Fe?.takeRecords().length===0;return Fe?.disconnect(),t||(qt=[]),t}var $o=new Set("button link textbox searchbox combobox listbox option checkbox radio switch tab menuitem menuitemcheckbo\
x menuitemradio slider spinbutton treeitem scrollbar ColorWell Date DateTime InputTime DisclosureTriangle PopUpButton".split(
" "));function ja(t,e){return t.disabled||t.hasAttribute("tabindex")?!0:e==="a"||e==="area"?t.hasAttribute("href"):e==="\
video"||e==="audio"?t.controls:!/^(div|span|body|html|object|embed|frame|dialog)$/.test(e)}var Ya=t=>{let e=d(t);return!!e&&
e.isContentEditable};function Or(t,e){return Go(t,e)||qo(t,e)}var _r=new Set(["div","span","section","article"]);function Go(t,e){
return _r.has(e)?!t.firstChild&&t.offsetHeight>3&&t.offsetWidth>3&&!x(t):e.includes("-")&&!x(t)}function qo(t,e){if(!_r.
has(e)||x(t))return!1;let o=t.firstElementChild;return o!==null&&t.childElementCount<4&&za(o)}var za=t=>t.localName!=="s\
cript"&&t.localName!=="style"&&t.localName!=="template"&&!t.checkVisibility()&&t.isConnected&&t.getClientRects().length===
0&&getComputedStyle(t).display==="";function kr(t,e,o,n,r,i){return $o.has(o)||o==="gridcell"&&(t.hasAttribute("tabindex")||
t.hasAttribute("aria-selected"))||t.tabIndex>=0&&ja(t,e)||t.isContentEditable&&!Ya(t)?!0:e==="label"&&t.control||e==="bo\
dy"||e==="html"?!1:n==="pointer"&&r!=="pointer"?!0:i.has(t)||t.hasAttribute("onclick")&&e!=="body"}function Vt(t){let e=t.
type;if(e!=="checkbox"&&e!=="radio"&&e!=="file")return"";for(let o of t.labels||[]){let n=o.getBoundingClientRect();if(n.
width>1&&n.height>1&&o.checkVisibility())return"yes"}return""}var Lr=120,Xa=1e3,Ka=600,Qa=150,Ja=100,Za="[role=alert],[role=status],[role=alertdialog],h1,h2,h3",tc=40,Dr=new Map([["d\
eletion","deleted"],["insertion","inserted"]]),ec="tbody,tfoot,[role=rowgroup]";function oc(t){if(t.hasAttribute("aria-l\
abel")||t.hasAttribute("aria-labelledby"))return!1;let e=0;for(let o=t.parentNode&&Ft(t.parentNode);o&&e<2;o=it(o))o instanceof
HTMLElement&&!D(o)&&o.matches(ec)&&!o.querySelector("[role=columnheader]")&&e++;return e<2}var vt=t=>Ot&&D(t),He=class{constructor(e,o){
this.options=e,this.lines=[],this.text="",this.textDepth=0,this.muted=0,this.naming="",this.veils=0,this.level=0,this.out=
!1,o&&Nr(o),this.heard=Pe,this.active=V();let{width:n,height:r}=Ht();this.width=n,this.height=r,this.scrollX=scrollX,this.
scrollY=scrollY,this.suspects=[],this.odd=!0,this.off=0,this.grids=0,this.inside="",this.said=[],this.lists=e.lists?null:
new Set,this.slots=null,this.boxes=e.keep?[]:null}line(e,o){this.said[e]=(this.said[e]||0)+1,this.lines.push(`${Math.min(
e,Qa)}	${o}`)}flush(){if(!this.text)return;let e=b(g(this.text),Xa);this.text="",e&&this.line(this.textDepth,`text	${e}	\
			`)}say(e,o){this.muted||this.out||(this.text&&this.textDepth!==o&&this.flush(),this.textDepth=o,this.text+=e)}children(e,o,n,r=x(
e)){if(e.localName==="slot"){let u=e.assignedNodes();if(u.length){for(let m of u)this.node(m,o,n);return}}r&&ur(r);let i=vt(
e)?Ft(e):(r||e).firstChild;if(i&&!this.options.most)return this.all(i,o,n);let a=this.options.most||1/0,s=(this.said[o]||
0)+a,c=this.lines.length+a*20;for(let u=i;u;u=vt(u)?it(u):u.nextSibling)(this.said[o]>=s||this.lines.length>=c)&&u.nodeType===
1&&(u=this.rest(u,o)),this.node(u,o,n)}all(e,o,n){for(let r=e;r;r=vt(r)?it(r):r.nextSibling)this.node(r,o,n)}rest(e,o){let n=0,
r=e;for(let i=e;i;i=vt(i)?it(i):i.nextSibling)i.nodeType===1&&(i!==e&&(n+=1+r.getElementsByTagName("*").length),r=i);return this.
flush(),n&&(this.line(o,`…	${n}	${this.inside}			`),this.outstanding(e,r,o)),r}outstanding(e,o,n){let r=e.parentNode;if(!r||
!r.querySelectorAll)return;let i=tc,a=this.odd;for(let s of r.querySelectorAll(Za))if(!(!(e.compareDocumentPosition(s)&4)&&
!e.contains(s))){if(o.contains(s)||o.compareDocumentPosition(s)&4)break;if(s.checkVisibility({opacityProperty:!0,visibilityProperty:!0})&&
(this.odd=!0,this.node(s,n,""),!--i))break}this.odd=a}maskedForm(e,o){let n=getComputedStyle(e);n.display!=="none"&&(this.
flush(),this.children(e,o,n.cursor),this.flush())}node(e,o,n){let r=e.nodeType;if(r===3){if(this.muted||this.out||this.hidden===
e.parentNode)return;let i=e;if(!A(i.data)&&(this.unseen(i)||this.under(i)))return;this.say(i.data,o)}else if(r===1||vt(e)){
let i=e;if(vt(e)&&K(i))return this.maskedForm(i,o);if(this.level>=Ka)return this.say(" … ",o);this.level++,this.element(
i,o,n),this.level--}}element(e,o,n){let r=e.localName;if(Ue.has(r))return;if(r==="br")return this.say(" ",o);let i=x(e);
i&&U(i);let a=M(e),s=this.odd,c=a&be&&Ho(e)?1:0;this.off+=c,!s&&dt(e,r,a)&&(ee()||eo(e))?this.laidOut(e,r,un.has(r),o,oo(
e,r,n),n,a):this.styled(e,r,o,n,a),this.off-=c,this.odd=s}styled(e,o,n,r,i){let a=getComputedStyle(e),s=a.display;if(s===
"none"){o==="area"&&this.area(e,n);return}s===""&&this.unpaintedIn(e.parentElement,e);let c=to.has(o)&&e.namespaceURI===
N,u=c&&Z?oo(e,o,r):l&kt?a.cursor:"",m=c&&ln.has(s),B=m&&!this.odd&&ee();if(this.odd=!m,s==="contents")return this.children(
e,n,u);let $e=B||eo(e);if(!$e&&!(l&(E|O)&&e.checkVisibility()))return;let Ge=s.startsWith("inline");if(!$e&&a.visibility!==
"visible"){let qe=this.hidden;this.hidden=e,this.laidOut(e,"",Ge,n,u),this.hidden=qe}else if(this.hides(e,a,$e)){let qe=this.
muted;this.muted++,this.veils++,this.laidOut(e,o,Ge,n,u,r,i),this.veils--,this.muted=qe}else this.laidOut(e,o,Ge,n,u,r,i)}laidOut(e,o,n,r,i,a,s){
let c=this.out;this.options.viewport&&(this.out=this.outside(e)),n||this.flush(),o?this.shown(e,o,r,i,a,s):this.children(
e,r,i),n||this.flush(),this.out=c}outside(e){let o=e.getBoundingClientRect();return o.top>=this.height||o.bottom<=0||o.left>=
this.width||o.right<=0}unseen(e){let o=e.parentElement||e.parentNode.host;if(!o)return!1;if(o!==this.textParent){this.textParent=
o;let n=l&Zt?f(o):null,r=this.options.all||!mt(o,n,l);this.textUnseen=!r||oe(o,o.localName)}return this.textUnseen}under(e){
let o=e.parentElement||e.parentNode.host;return!this.options.all&&!!o&&bt(e,o)}dim(e){return!this.options.all&&(this.veils>
0||pe(e))}hides(e,o,n){if(this.options.all)return!1;let r=L?L.length:0,i=!n&&o.opacity==="0"||Ct(e,o,l);return L&&(i||this.
veils)&&(L.length=r),i}shown(e,o,n,r,i,a){if(a===0&&gr.has(o)&&this.doesNothing(e,r,i))return this.suspect(e,o),this.children(
e,n,r);let s=Do(e,o,a),c=kr(e,o,s,r,i,this.heard);if(o==="iframe"||o==="frame"||o==="fencedframe")return this.frame(e,n);
this.suspect(e,o);let u=c?this.reach(e):"";if(u!=="gone"){if(u)return this.acted(e,s,n,r,a,u);if(o==="label"&&e.control)
return this.label(e,n,r);if(Dr.has(s))return this.edited(e,Dr.get(s),n,r);if(br.has(s)||s==="rowgroup"&&oc(e))return this.
children(e,n,r);if(s==="img"||s==="image"||s==="graphics-symbol")return this.image(e,s,n,r);oe(e,o)||this.container(e,s,
n,r,a)}}edited(e,o,n,r){this.say(`[${o}: `,n),this.children(e,n,r),this.say("]",n)}doesNothing(e,o,n){return o==="pointe\
r"&&n!=="pointer"?!1:!this.heard.has(e)&&e.namespaceURI===N}suspect(e,o){Go(e,o)&&Nt.get(e)!==ve(e)&&this.suspects.push(
e)}unpaintedIn(e,o){!e||e.firstElementChild!==o||!qo(e,e.localName)||Nt.get(e)!==ve(e)&&this.suspects.push(e)}reach(e){if(l&
Je&&f(e).pointerEvents==="none"&&e.tabIndex<0)return"";let o=e.getBoundingClientRect();if(this.boxes&&this.boxes.push(e,
o),o.width<1||o.height<1)return oe(e,e.localName)?"gone":_o(e)?"yes":Vt(e);if((o.right+this.scrollX<=0||o.bottom+this.scrollY<=
0)&&!ye(e,o))return o.right>=-2e3&&f(e).position!=="fixed"&&Vt(e)||wo(e);if(o.top>=this.height||o.bottom<=0||o.left>=this.
width||o.right<=0)return this.options.viewport?"":"yes";let n=o.left+o.width/2,r=o.top+o.height/2;if(this.hits(e,n,r))return"\
yes";for(let[a,s]of we(e,o).slice(1))if(this.hits(e,a,s))return"yes";let i=Se(e,n,r);return i?i==="flat"||this.options.viewport?
"":"yes":o.width<=1&&o.height<=1||l&tt&&bo(f(e))?Vt(e)||wo(e)||"point":Vt(e)||(e.closest("[inert]")?"":this.coveredAt(e,
o,n,r))}coveredAt(e,o,n,r){let i=ct(n,r)?.getBoundingClientRect();return i&&i.left<=o.left&&i.right>=o.right&&i.top<=o.top&&
i.bottom>=o.bottom||this.grids>=Ja?"covered":(this.grids++,Ee(e,e)?"yes":"covered")}hits(e,o,n){return o<0||n<0||o>=this.
width||n>=this.height?!0:Q(e,ct(o,n))}name(e){return b(g(q(e)||""),200)}push(e,o,n,r,i,a=""){let s=r||Ae(e,n);this.pushed=
this.options.dry?"":At(e,n,s),this.read(e,o,n,r,i,a,this.pushed)}read(e,o,n,r,i,a="",s=""){let c="";if(this.options.boxes){
let u=e.getBoundingClientRect();c=[u.x,u.y,u.width,u.height].map(Math.round).join(",")}this.line(o,`${n}	${b(r,Lr)}	${s}\
	${i}	${a}	${c}`)}acted(e,o,n,r,i,a){this.flush();let s=this.name(e),c=Be(e,o,this.active,i,this.off);if(a==="unfocused"?
c.push("shown-on-focus"):(a==="point"||a!=="covered"&&s&&Fo.has(o)&&this.dim(e))&&c.push("hidden"),c.push(a==="covered"?
"covered":"ref"),this.push(e,n,o,s,c.join(" "),Wo(e,o,this.lists)),yr(e)&&this.line(n+1,`invalid	${b(g(e.validationMessage),
Lr)}				`),Me.has(o)&&e.localName!=="div")return;let u=Fo.has(o)&&s?1:0,m=this.naming;u&&(this.naming=this.muted?"":s),this.
muted+=u,(e.firstElementChild||x(e)||!u)&&this.children(e,n+1,r),this.flush(),this.muted-=u,this.naming=m}label(e,o,n){this.
flush(),this.muted++,this.children(e,o,n),this.muted--}image(e,o,n,r){let i=this.naming;if(!this.out&&(!this.muted||i&&!this.
veils)){let a=this.name(e);a&&(!this.muted||!i.includes(a))&&(this.flush(),this.read(e,n,"img",a,""))}e.firstElementChild&&
(this.naming="",this.muted++,this.children(e,n,r),this.muted--,this.naming=i)}container(e,o,n,r,i){let a=this.muted||this.
out,c=!a&&!xr.has(o)||e.hasAttribute("aria-label")?this.name(e):"",u=Be(e,o,this.active,i,this.off).join(" ");if(o==="he\
ading"){!a&&!this.dim(e)&&(this.flush(),this.read(e,n,o,c,u));let B=this.naming;a||(this.naming=c),this.muted++,(e.firstElementChild||
x(e))&&this.children(e,n+1,r),this.muted--,this.naming=B;return}if(a)return this.children(e,n,r);this.flush(),this.push(
e,n,o,c,u,Wo(e,o));let m=this.inside;this.inside=this.pushed,this.children(e,n+1,r),this.inside=m,this.flush()}area(e,o){
if(this.out||!e.hasAttribute("href")||!ke(e))return;let[[n,r]]=Le(e);if(n>=0&&r>=0&&n<this.width&&r<this.height?!Q(e,ct(
n,r)):this.options.viewport)return;let a=G(e)||"generic",s=[...Be(e,a,this.active,M(e),this.off),"ref"];this.flush(),this.
push(e,o,a,this.name(e)||Ae(e,a),s.join(" "))}frame(e,o){let n=e.getBoundingClientRect();n.width<2||n.height<2||(this.flush(),
this.slots??=Ir(),this.push(e,o,"iframe",Ne(e),"",this.slots.get(e.contentWindow)??""))}};var Vo=!1,Br=(t,e)=>Dt()?Cr(t,e):re().then(()=>Cr(t,e));function Cr(t,e){if(t.unless&&sc(t.unless))return Mr(t.unless),"\
same";t.next&&ge(t.next),Vo||=!t.dry,t.keep&&!t.dry&&Mr(t.keep),R(),X();let o=document.body||document.documentElement;if(t.
root){let a=wt.get(t.root);if(o=a&&a.element.deref(),!o||!o.isConnected)return"gone";te(o)}kn();let n=Ur(o,t,e);Ln()&&(n=
Ur(o,t,e)),t.dry?Hr(n,()=>{}).watcher.disconnect():(n.boxes&&ic(n),Tr(),Oe(n.suspects));let r=document.scrollingElement||
document.documentElement,i=[me,J?1:0,yt,nc(),window.length,innerWidth,innerHeight,Math.round(scrollX),Math.round(scrollY),
r?r.scrollWidth:0,r?r.scrollHeight:0,Re.length];return i.push(no(b(g(document.title),200)),no(location.href)),i.join("	")+
`
`+n.lines.join(`
`)}function Ur(t,e,o){let n=new He(e,o);return t&&(n.off=Po(d(t))?1:0),t&&n.element(t,0,""),n.flush(),n}function Mr(t){document.
documentElement?.getBoundingClientRect(),console.timeStamp(t)}var Fr=64;function nc(){let t=parent.length;if(parent===window||
t>Fr)return"";for(let e=0;e<t;e++)if(parent[e]===window)return`${e} ${t}`;return""}function Ir(){let t=new Map,e=Math.min(
window.length,Fr);for(let o=0;o<e;o++)t.set(window[o],o);return t}var rc={childList:!0,attributes:!0,characterData:!0,subtree:!0},
ut=null,Pr=t=>t.addEventListener("scroll",We,!0);Pr(document);function Hr(t,e){let o=new MutationObserver(e);for(let c of P)
o.observe(c,rc),Pr(c);let n=[...P],r=n.flatMap(c=>[...c.querySelectorAll("input,select,textarea")]),i=r.map($r),{options:a,
boxes:s}=t;return{word:a.keep||"",watcher:o,roots:n,fields:r,filled:i,boxes:s||[],where:Wr()}}function ic(t){We(),ut=Hr(
t,We)}function We(){ut&&(ut.watcher.disconnect(),ut=null)}var Wr=()=>[scrollX,scrollY,innerWidth,innerHeight,devicePixelRatio,
location.href,document.title,V()];function $r(t){let e=t;if(t.localName==="select")return e.multiple?Array.from(e.options,
r=>r.selected).join():e.selectedIndex;let o=t,n=o.files?Array.from(o.files,r=>r.name).join():"";return`${o.checked} ${o.
indeterminate} ${n} ${o.value}`}function sc(t){if(!ut||ut.word!==t)return!1;let e=ac(ut);return e||We(),e}function ac(t){
if(t.watcher.takeRecords().length||cc(t))return!1;let e=Wr();if(t.where.some((n,r)=>n!==e[r])||t.fields.some((n,r)=>$r(n)!==
t.filled[r]))return!1;let{boxes:o}=t;for(let n=0;n<o.length;n+=2){let r=o[n+1],i=o[n].getBoundingClientRect();if(i.x!==r.
x||i.y!==r.y||i.width!==r.width||i.height!==r.height)return!1}return!0}var cc=t=>t.ownRoles??=t.roots.some(e=>Array.prototype.
some.call(e.querySelectorAll("*"),o=>o.localName.includes("-")));var Yo={};zo(Yo,{ACTED_ON:()=>$o,FAINT:()=>rt,SKIPPED:()=>Ue,USED_ALL:()=>z,USED_FADE:()=>O,WANTS_NAMES:()=>ce,above:()=>d,
activeElement:()=>V,areaPoints:()=>Le,arm:()=>Co,armAround:()=>sr,asked:()=>at,beginNames:()=>R,checkedHosts:()=>Nt,clip:()=>b,
comesBack:()=>ye,covered:()=>bt,customHost:()=>Or,deepHit:()=>ct,dim:()=>pe,focusText:()=>Bo,frameNumber:()=>Te,freePoint:()=>Ee,
hidesIn:()=>Uo,identity:()=>Tt,isBlank:()=>A,isDisabled:()=>wr,isForm:()=>D,isFrame:()=>Lo,isShown:()=>ke,labelText:()=>ko,
lands:()=>Q,masked:()=>K,meetDocument:()=>X,meetRoot:()=>U,nameOf:()=>q,numberOf:()=>At,numbered:()=>wt,pane:()=>Ht,pointsOf:()=>we,
roleOf:()=>G,rootOf:()=>x,says:()=>De,scrolledOut:()=>Se,scrolls:()=>Oo,space:()=>et,spokenRole:()=>Io,styleOf:()=>f,suspect:()=>Oe,
tagged:()=>Wt,tidy:()=>g,unreadable:()=>mt,upcomingNumber:()=>_e,usedNow:()=>an,veiled:()=>Ct,watchEffects:()=>Ce,within:()=>Et});var uc=40,lc=8,fc=50,dc={all:!1,boxes:!1,viewport:!1,lists:!1,root:0,most:uc,keep:" ",dry:!0};function Gr(t){if(!Vo){try{
se("walk",[dc])}catch{return}t>1&&requestIdleCallback(()=>Gr(t-1))}}var pc=()=>requestIdleCallback(()=>Gr(lc));document.
readyState!=="complete"&&addEventListener("load",()=>setTimeout(pc,fc),{once:!0});globalThis.ph={...jo,shared:{...Yo}};})();
