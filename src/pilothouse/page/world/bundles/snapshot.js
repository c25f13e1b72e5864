if(!globalThis.ph)
(()=>{var qr=Object.defineProperty;var zo=(t,e)=>{for(var o in e)qr(t,o,{get:e[o],enumerable:!0})};var jo={};zo(jo,{adopt:()=>Jn,again:()=>ge,alone:()=>pn,beginNames:()=>O,changed:()=>pr,disarm:()=>Ie,effects:()=>hr,everything:()=>Vn,
frameNumber:()=>Te,gripped:()=>mr,mark:()=>Rr,marked:()=>vr,nameOf:()=>V,next:()=>_e,numberFor:()=>tr,ownName:()=>at,ownRole:()=>y,
roleOf:()=>q,suspect:()=>Zn,walk:()=>Br,watch:()=>Ce});var Z="computedRole"in Element.prototype,N="http://www.w3.org/1999/xhtml",lt="http://www.w3.org/2000/svg";function h(t){
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
return"group";if(!e.startsWith("table")||t.closest("table"))return"generic";if(e==="table")return"LayoutTable";let o=p(t);
return!o||!f(o).display.startsWith("table")?"generic":e==="table-row"?"LayoutTableRow":e==="table-cell"?"LayoutTableCell":
"generic"}var ni=h("div center pre xmp listing plaintext");function ri(t,e){return!t.hasAttribute("draggable")&&!t.hasAttribute(
"autofocus")||t.hasAttribute("role")||t.namespaceURI!==N||/^(?:contents|table)/.test(e)?!1:ni.has(t.localName)||t.localName===
"span"&&!e.startsWith("inline")}function ii(t,e){for(let o of e.toLowerCase().split(/\s+/)){if(!Vr.has(o))continue;let n=jr[o]||
o;if(n==="none")return t.localName==="iframe"?"IframePresentational":si(t)?"":"none";if(!(Qr.has(n)&&!Ve(t))&&!(Ko[n]&&!ci(
t,Ko[n])))return n}return""}function si(t){return ai(t)||ti.some(e=>t.hasAttribute(e))}function ai(t){return t.tabIndex>=
0&&!t.disabled?!0:t.hasAttribute("tabindex")&&!t.disabled}var Ve=t=>(t.getAttribute("aria-label")||"").trim()!==""||Ye(t).
length>0||(t.getAttribute("title")||"").trim()!=="";function ci(t,e){for(let o=vt(t)||p(t);o;o=p(o)){let n=y(o);if(n!=="\
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
null&&e.localName==="details"}function pi(t){let e=t.hasAttribute("role")?null:p(t);return!e||!/^(ul|ol|menu)$/.test(e.localName)?
"listitem":/^\s*(none|presentation)\b/i.test(e.getAttribute("role")||"")||y(e)!=="list"?"none":"listitem"}function Jo(t){
let e=y(t);return Jr.has(e)?!0:(t.localName==="section"||t.localName==="aside")&&!t.hasAttribute("role")}function hi(t){
for(let e=p(t);e;e=p(e))if(Jo(e))return!0;return!1}function Qo(t){for(let e=p(t);e;e=p(e))if(Jo(e)||y(e)==="main")return!1;
return!0}function mi(t,e){let o=e==="table"?t:t.closest("table");if(!o)return"generic";if(e==="caption")return"caption";
let n=e==="table"?gi(t)?"table":"LayoutTable":y(o);if(e==="table")return n;let r=n==="grid"||n==="treegrid";if(n!=="tabl\
e"&&n!=="LayoutTable"&&!r)return"generic";let i=n==="LayoutTable";return e==="tr"?i?"LayoutTableRow":"row":e==="td"||e===
"th"?i?"LayoutTableCell":e==="td"?r?"gridcell":"cell":bi(t):i?"generic":"rowgroup"}function bi(t){let e=(t.getAttribute(
"scope")||"").toLowerCase();if(e==="row"||e==="rowgroup")return"rowheader";if(e==="col"||e==="colgroup")return"columnhea\
der";let o=t.parentElement;if(!o||!o.cells)return"columnheader";for(let n of o.cells)if(n.localName==="td"&&(n.firstElementChild||
n.textContent.trim()))return"rowheader";return"columnheader"}function gi(t){if(t.isContentEditable||t.caption||t.tHead||
t.tFoot||t.hasAttribute("summary")||t.hasAttribute("rules")||t.querySelector("col"))return!0;let e=t.rows;return e.length===
0||e.length===1&&e[0].cells.length<2?!1:t.querySelector("th,td[headers],td[scope],td[abbr],td[axis]")?!0:e.length>=20||xi(
t,e)}function xi(t,e){let o=f(t).backgroundColor,n=0,r=0,i=0,s=[];for(let a of e){let c=f(a).backgroundColor;s.push(c);for(let u of a.
cells){let m=f(u),F=m.backgroundColor;n++,(parseFloat(m.borderTopWidth)>0||parseFloat(m.borderLeftWidth)>0)&&r++,F!=="rg\
ba(0, 0, 0, 0)"&&F!==o&&i++}}return n>1&&(2*r>=n||2*i>=n)?!0:s.length>2&&s[0]!==s[1]&&s.every((a,c)=>a===s[c%2])}var et=1,Qe=2,$=4,Yt=8,zt=16,U=32,Xt=64,ft=128,_t=256,A=512,P=1024,kt=2048,C=4096,E=8192,_=16384,Je=32768,Kt=65536,Qt=131072,
Jt=262144,Lt=524288,X=1048575,Zt=U|Xt|zt|ft|_t|Jt|Lt,Si=[[et,"clip"],[Qe,"filter"],[$,"position"],[Yt,"overflow"],[Yt,"c\
ontain"],[zt,"text-indent"],[_t,"background"],[U,"content-visibility"],[P,"text-transform"],[P,"text-security"],[kt,"cur\
sor"],[C,"transform"],[C,"translate"],[C,"scale"],[C,"rotate"],[C,"offset"],[E,"visibility"],[_,"opacity"],[Je,"pointer-\
events"],[Kt,"float"],[ft," color:"],[ft,`
color:`],[ft,"text-fill-color"],[Qt,"mask"],[Jt,"letter-spacing"],[Lt,"mix-blend-mode"],[A," content:"],[A,`
content:`]],yi=/font(?:-size)?:[^;}]*(?:[^\d.](?:[01](?:\.\d+)?|\.\d+)(?:[a-z%]|[ ;/}])|\()/,wi=/[ \n](?:all|zoom):/,en="\
[bgcolor],[background],[color],[text],[link],[clip-path],[filter],[transform],[font-size],[opacity],[visibility],[pointe\
r-events],[align],[hidden='until-found'],marquee,font",on="[inert],[popover],[aria-hidden]",Ei=`[style],${en},${on}`,Zo=300,
Ni=1e5,l=X,H=new Set,Ot=!1,W=null,tt=null;function nn(){l=X,H=new Set,Ot=!1,W=tt=null}var rn=0,Y=null,z=null,ze=/display|float|position|overflow|clip|mask|opacity|filter|contain|content|transform|translate|scale|rotate|offset/,
Xe=/cursor/;function Ti(t){let e="";for(let o of t){if(--rn<0)return null;if(o.styleSheet!==void 0){let n=o.styleSheet&&
sn(o.styleSheet);if(n===null)return null;e+=n}else{let n=o.cssText;e+=n+`
`,Y&&ze.test(n)&&(Y=Ke(Y,ze,o)),z&&Xe.test(n)&&(z=Ke(z,Xe,o))}if(e.length>Ni)return null}return e}var Ai=t=>t instanceof
CSSMediaRule||t instanceof CSSSupportsRule||t instanceof CSSLayerBlockRule||t instanceof CSSContainerRule;function Ke(t,e,o){
if(o.selectorText!==void 0&&!o.cssRules?.length)t.push(o.selectorText);else if(Ai(o))for(let n of o.cssRules)t&&e.test(n.
cssText)&&(t=Ke(t,e,n));else return null;return t}function tn(t,e){if(!e)return null;try{return new Set(e.length?t.querySelectorAll(
e.join(",")):[])}catch{return null}}function sn(t){if(t.disabled)return"";try{return Ti(t.cssRules)}catch{return null}}function Ri(t,e){
rn=Zo;let o=`
`;for(let n of[t.styleSheets,t.adoptedStyleSheets])for(let r of n||[]){let i=sn(r);if(i===null)return null;o+=i}if(e.length>
Zo)return null;for(let n of e){let r=n.style&&n.style.cssText;if(typeof r!="string")return null;o+=r+`
`,Y&&ze.test(r)&&Y.push("[style]"),z&&Xe.test(r)&&z.push("[style]")}return o}var vi=t=>!(t instanceof CSSAnimation||t instanceof
CSSTransition),Ze=(t,e)=>t===document?document.getElementsByTagName(e):t.querySelectorAll(e),Oi=()=>document.fullscreenElement!==
null||Ze(document,"dialog").length>0;function _i(t){Y=z=null;let e=[...t.querySelectorAll(Ei)];if(e.some(r=>r.matches(en))||
t.getAnimations().some(vi))return X;t===document&&!e.some(r=>r.matches(on))&&!Oi()&&cn(),Y=[],z=[];let o=Ri(t,e.filter(r=>r.
hasAttribute("style")));if(o===null||wi.test(o))return X;let n=Ze(t,"q").length?A:0;for(let[r,i]of Si)o.includes(i)&&(n|=
r);return o.includes("font")&&yi.test(o)?n|Xt:n}function M(t){if(!H.has(t)){if(H.add(t),l!==X){l|=_i(t);let e=t===document&&
l!==X;tt=e?tn(t,z):null,W=e&&tt?tn(t,Y):null}Ot||=[...Ze(t,"form")].some(Q),Ot&&(W=null)}}var an=()=>l;function K(){l=0,
M(document)}function te(t){for(let e=t;e;e=p(e)){let o=S(e);o&&M(o)}}var un=h("span a b i em strong small code label button input select textarea"),to=h("span a b i em strong small code lab\
el button input select textarea div p section article main nav header footer aside h1 h2 h3 h4 h5 h6 ul ol li form table\
 tbody thead tfoot tr td th"),ln=h("block inline inline-block list-item flow-root table table-row-group table-header-gro\
up table-footer-group table-row table-cell"),dt=(t,e,o)=>W!==null&&to.has(e)&&!W.has(t)&&!(o&ne)&&t.namespaceURI===N,ki={
opacityProperty:!0,visibilityProperty:!0},eo=t=>l&(E|_)?t.checkVisibility(ki):t.checkVisibility(),ee=()=>W!==null&&!(l&(E|
_|U)),oe=(t,e)=>ee()&&dt(t,e,0)&&!t.checkVisibility(),Li=h("label button input select textarea");function oo(t,e,o){return l&
kt?tt.has(t)&&!(e==="button"&&!t.firstElementChild)?getComputedStyle(t).cursor:Li.has(e)?"default":e==="a"&&t.hasAttribute(
"href")?"pointer":o:""}var Dt=()=>document.readyState!=="loading"||!!document.body?.firstChild,re=()=>new Promise(t=>{let e=new MutationObserver(
()=>Dt()&&o()),o=()=>{e.disconnect(),document.removeEventListener("readystatechange",o),clearTimeout(n),t()},n=setTimeout(
o,500);document.addEventListener("readystatechange",o),e.observe(document,{childList:!0,subtree:!0})});var ot=/\s+/g,Di=/^[\x20-\x7e\s]*$/,Ii=/[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu,
fn=/^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/,x=t=>fn.test(t)?t:(Di.test(t)?t:t.replace(Ii,"")).replace(ot," ").trim(),no=t=>t.
replace(/[\t\n\r]/g," "),b=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,It=t=>fn.test(t)?t:t.replace(/[ \t\n\r\f]+/g," "),k=t=>It(
t).replace(/^ | $/g,""),R=t=>!/[^ \t\n\r\f]/.test(t);var ro=h("button a h1 h2 h3 h4 h5 h6");function dn(t){let e=t.localName;if(!ro.has(e))return null;let o=Ci(t);if(o===null||
B(t)&w||t.namespaceURI!==N||e==="a"&&!t.hasAttribute("href")||e==="button"&&pt(t).length)return null;let n=It(o);return n&&
n[0]!==" "&&n[n.length-1]!==" "?n:null}function Ci(t){let e=t.firstChild;return!e||e.nodeType!==3||e.nextSibling||S(t)||
l&(A|P|E)?null:e.data}function ie(t,e){if(l&(A|P|E)||B(t)&w||t.childNodes.length>3)return null;let o="",n=0;for(let r=t.
firstChild;r;r=r.nextSibling)if(r.nodeType===3)o+=r.data,n+=R(r.data)?0:1;else if(r!==e)return null;return n===1?k(o):null}var io=!1,ce={},Ui="\0names";function so(){if(io)throw ce}var pn=(t,e)=>t==="walk"&&!Dt()?re().then(()=>se(t,e)):se(t,e);
function se(t,e){io=!0;try{return globalThis.ph[t](...e)}catch(o){if(o!==ce)throw o;return Ui}finally{io=!1}}var Mi=h("t\
able caption colgroup col thead tbody tfoot tr td th"),Bi=h("audio video object embed canvas math");function ao(t){let e=t.
localName;if(t.namespaceURI!==N)return t.namespaceURI===lt;if(Bi.has(e)||e.includes("-"))return!1;if(Mi.has(e))return Fi(
t,e);if(t.hasAttribute("contenteditable"))return!1;let o=t.getAttribute("role");return o!==null?hn.has(o)||mn.has(o):e!==
"a"||t.hasAttribute("href")}var hn=h("button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio head\
ing"),mn=h("search navigation main banner contentinfo complementary dialog alertdialog toolbar tablist tabpanel menu men\
ubar group radiogroup list article log status alert");function Fi(t,e){let o=e==="table"?t:t.closest("table");return!o||
t.hasAttribute("role")||o.hasAttribute("role")?!1:o.caption!==null||o.tHead!==null&&o.tHead.rows.length>0}var Pi=A|P|E|U,
bn=/^[^\s\xad\u200b]+(?: [^\s\xad\u200b]+)*$/,Hi="[inert],dialog:modal,:popover-open,:fullscreen",ae=2,Wi=1,nt;function gn(){
nt=void 0}function cn(){nt=0}function co(t,e){if(H.size||(K(),te(t)),l&Pi||H.size!==1||(nt??=document.querySelector(Hi)?
ae:document.querySelector("[aria-hidden]")?Wi:0,nt&&(nt===ae||t.closest("[aria-hidden]"))))return null;let o=$i(t,e,B(t));
return o===null||o===""||bn.test(o)?o:null}function $i(t,e,o){if(t.namespaceURI!==N)return null;let n=o&w?t.getAttribute(
"role"):null,r=hn.has(n);if(n!==null&&!r&&!mn.has(n))return null;let i=o&L?Vi(t):"";return i===null?null:ue.has(e)?n===null?
!i&&dt(t,e,o)?"":null:i||(r?xn(t)||null:""):Gi.has(e)?r?null:i:n!==null?null:uo.has(e)?Qi(t,e,i):ro.has(e)?i||ji(t,e):e===
"img"?i||t.alt:null}var Gi=h("p ul ol li menu b i em strong small code section article main nav header footer aside form\
 search dl dd tbody thead body dialog details"),qi=/^(?:aria-labell?edby|aria-owns|aria-actions|title|contenteditable|list|popover|command)/;
function Vi(t){for(let e of t.getAttributeNames())if(qi.test(e))return null;return v(t,"aria-label")}function ji(t,e){return e===
"a"&&!t.hasAttribute("href")||e==="button"&&pt(t).length?null:xn(t)||null}function xn(t){let e=Sn(t,Yi);return e===null||
bn.test(e)?e:/^(?:normal|nowrap)$/.test(f(t).whiteSpace)?k(e):null}var Yi=4,zi=20,Xi=h("span b i em strong small code");
function Sn(t,e){if(S(t)||!e||t.childNodes.length>zi)return null;let o="";for(let n=t.firstChild;n;n=n.nextSibling)if(n.
nodeType===3)o+=n.data;else{let r=Ki(n)?Sn(n,e-1):null;if(r===null)return null;o+=r}return o}function Ki(t){if(t.nodeType!==
1||!Xi.has(t.localName))return!1;let e=B(t);return!(e&w)&&dt(t,t.localName,e)}function Qi(t,e,o){if(e==="input"&&!lo.has(
t.type))return null;if(o)return o;let n=pt(t);return n.length!==1||!n[0].checkVisibility()||n[0].closest("[aria-hidden]")?
null:ie(n[0],t)}var it=.06,Ji=12,Zi=-.25,ts=20,yn=4,es=/^(circle|ellipse|inset|polygon|rect|xywh|path)\(([^)]*)\)/,os=/opacity\(0?\.?0\d*%?\)/,
ns=/rgba?\([^)]*\)|color\([^)]*\)|(?:ok)?l(?:ab|ch)\([^)]*\)/g,rs=new Set("img svg video canvas object embed".split(" ")),
is="img,video,canvas,svg,iframe,object,embed",fo=new Map,po=new Map,rt=null,ho=null,fe=null,D=null,ht=null;function En(){
fo=new Map,po=new Map,rt=ho=fe=D=ht=null}function de(t){if(t.startsWith("rgb("))return 1;let e=/[,/] ?([\d.e-]+)(%?)\)$/.
exec(t);return e&&(t.startsWith("rgba(")||t.includes("/"))?Number(e[1])/(e[2]?100:1):1}var ss=500,le=new Map;function mo(t){
let e=le.get(t);if(e===void 0){let o=/^rgba?\((\d+), (\d+), (\d+)/.exec(t);e=o&&[Number(o[1]),Number(o[2]),Number(o[3])],
le.size>=ss&&le.clear(),le.set(t,e)}return e}var as=(t,e)=>t.every((o,n)=>Math.abs(o-e[n])<=Ji);function Nn(t){if(!t)return Tn();
let e=fo.get(t);if(e===void 0){let o=f(t).backgroundColor,n=o==="rgba(0, 0, 0, 0)"?0:de(o);n<it?e=Nn(p(t)):e=n<1||!mo(o)?
null:[mo(o),t],fo.set(t,e)}return e}function cs(t,e){for(let o=t;o;o=p(o)){if(f(o).backgroundImage!=="none")return!0;if(o===
e)return!1}return!1}function Tn(){let t=getComputedStyle(document.documentElement).colorScheme;return/dark/.test(t)?null:
[[255,255,255],null]}var An={multiply:(t,e)=>t*e/255,screen:(t,e)=>255-(255-t)*(255-e)/255,darken:Math.min,lighten:Math.
max,difference:(t,e)=>Math.abs(t-e),exclusion:(t,e)=>t+e-2*t*e/255,"hard-light":(t,e)=>t<128?2*t*e/255:255-2*(255-t)*(255-
e)/255,overlay:(t,e)=>e<128?2*t*e/255:255-2*(255-t)*(255-e)/255,"color-dodge":(t,e)=>t===255?255:Math.min(255,e*255/(255-
t)),"color-burn":(t,e)=>t===0?0:255-Math.min(255,(255-e)*255/t),"plus-lighter":(t,e)=>Math.min(255,t+e)};function Rn(t){
if(!t)return ls;let e=po.get(t);return e===void 0&&(e=Rn(p(t)),An[f(t).mixBlendMode]&&(e=[t,...e]),po.set(t,e)),e}function us(t,e,[
o,n]){for(let r of Rn(t)){if(r===n||n&&r.contains(n))break;let i=An[f(r).mixBlendMode];e=e.map((s,a)=>i(s,o[a]))}return e}
function wn(t){let{textShadow:e,webkitTextStrokeWidth:o}=f(t);if(e!=="none"||o!=="0px")return!0;for(let n=t;n;n=p(n)){let r=f(
n);if(r.backgroundClip==="text"||r.webkitBackgroundClip==="text")return!0;if(r.display!=="inline"&&r.backgroundImage!=="\
none")return!1}return!1}var ls=[],vn=(t,e)=>t.left<e.right&&t.right>e.left&&t.top<e.bottom&&t.bottom>e.top;function On(){
if(rt)return rt;rt=[...document.querySelectorAll(is)].map(t=>({element:t,picture:!0}));for(let t of l&($|C)?W||document.
querySelectorAll("body *"):[]){let{position:e,transform:o}=f(t),n=e==="static"&&o==="none"?null:_n(t);n&&rt.push(n)}for(let t of rt)
t.box=t.element.getBoundingClientRect();return rt}function _n(t){let e=f(t),o=e.backgroundImage!=="none",n=e.backgroundColor===
"rgba(0, 0, 0, 0)"?0:de(e.backgroundColor);return o||n>=it?{element:t,solid:n===1,style:e}:null}function fs(t,e){if(t===
e)return!0;let o=t.getBoundingClientRect();if(l&A){for(let n=t;n&&n!==e;n=p(n))for(let r of["::before","::after"])if(!/^(?:none|normal)$/.
test(getComputedStyle(n,r).content))return!1}return!On().some(n=>!n.element.contains(t)&&!t.contains(n.element)&&vn(o,n.
box))}var G=(t,e)=>t.endsWith("%")?parseFloat(t)/100*e:parseFloat(t);function ds(t,e){let o=es.exec(t);if(!o)return hs(t);
let n=o[2].split(/ (?:at|round) /)[0],r=n.split(/[ ,]+/).filter(Boolean),i=Math.min(e.width,e.height);switch(o[1]){case"\
circle":return G(r[0]||"50%",i)<1;case"ellipse":return G(r[0]||"50%",e.width)<1||G(r[1]||"50%",e.height)<1;case"inset":{
let[s,a=s,c=s,u=a]=r;return G(s,e.height)+G(c,e.height)>e.height-1||G(u,e.width)+G(a,e.width)>e.width-1}case"rect":return r.
every(s=>parseFloat(s)===parseFloat(r[0]));case"xywh":return parseFloat(r[2])===0||parseFloat(r[3])===0;case"polygon":return ms(
n,e)<1}return!1}var ps=/^rect\((\S+)px, (\S+)px, (\S+)px, (\S+)px\)$/;function bo(t){let e=t.clip==="auto"?null:ps.exec(
t.clip);if(!e||!/absolute|fixed/.test(t.position))return!1;let[o,n,r,i]=e.slice(1).map(Number);return r-o<1||n-i<1}function hs(t){
let e=/^url\("#([^"]+)"\)/.exec(t),o=e&&document.getElementById(e[1]);return!!o&&o.childElementCount===0}function ms(t,e){
let o=t.split(",").map(r=>r.trim().split(/ +/)).filter(r=>r.length===2).map(([r,i])=>[G(r,e.width),G(i,e.height)]),n=o.reduce(
(r,[i,s],a)=>{let[c,u]=o[(a+1)%o.length];return r+i*u-c*s},0);return Math.abs(n/2)}function bs(t){let e=t.maskImage;if(!e||
e==="none")return!1;if(/^0(?:px|%)(?: 0(?:px|%))?$/.test(t.maskSize))return!0;let o=/gradient\(/.test(e)&&!/url\(/.test(
e)?e.match(ns):null;return!!o&&o.every(n=>de(n)<it)}function Ct(t,e,o){if(o&_&&Number(e.opacity)<it)return!0;if(o&et){let c=e.
clipPath;if(c!=="none"&&ds(c,t.getBoundingClientRect())||bo(e))return!0}if(o&Qt&&bs(e))return!0;if(o&Qe){let c=e.filter;
if(c!=="none"&&os.test(c))return!0}let n=rs.has(t.localName),r=n||o&Yt&&e.overflowX!=="visible"||o&et&&e.clip!=="auto",i=o&
C&&e.transform!=="none",s=o&$&&e.position!=="static"||i;if(s&&D&&D.push(t),!r&&!s)return!1;let a=t.getBoundingClientRect();
return s&&(a.right+scrollX<=0||a.bottom+scrollY<=0)||n&&a.width<=yn&&a.height<=yn?!0:r?a.width<1||a.height<1||a.width<=1&&
a.height<=1:i&&(a.width<1||a.height<1)?t.offsetWidth>0&&t.offsetHeight>0:a.width===0&&a.height===0&&t.offsetWidth>0}var gs=/^(?:canvas|video|audio|progress|meter)$/;
function mt(t,e,o){let n=t.localName;if(gs.test(n)||n==="details"&&!t.open||o&U&&e.contentVisibility==="hidden"||o&Xt&&parseFloat(
e.fontSize)<2)return!0;if(o&zt){let r=e.textIndent;if(r[0]==="-"&&parseFloat(r)<-500)return!0}if(o&Jt){let r=e.letterSpacing,
i=r==="normal"?0:parseFloat(r)/parseFloat(e.fontSize);if(i<Zi||i>ts)return!0}return(o&(ft|_t|Lt))!==0&&xs(t,e,o)}function xs(t,e,o){
let n=e.webkitTextFillColor;if(de(n)<it)return!wn(t);let r=mo(n),i=r&&(o&_t?Nn(t):Tn());return!i||(o&Lt&&(r=us(t,r,i)),!as(
r,i[0])||cs(t,i[1]))?!1:!wn(t)&&fs(t,i[1])}function bt(t,e){return l&($|C)?fe?fe.has(t):ht?(ht.push(t,e),!1):(ho??=On().
filter(Dn),In(ho,t,e)):!1}function kn(){D=[],ht=[]}function Ln(){let t=D.map(n=>_n(n)).filter(n=>n&&Dn(n));for(let n of t)
n.box=n.element.getBoundingClientRect();let e=ht;if(D=ht=null,!t.length)return!1;let o=new Set;for(let n=0;n<e.length;n+=
2)In(t,e[n],e[n+1])&&o.add(e[n]);return o.size&&(fe=o),o.size>0}function Dn(t){if(t.picture||!t.solid)return!1;let{position:e,
opacity:o,visibility:n}=t.style;return o==="1"&&n==="visible"&&!/fixed|sticky/.test(e)}function In(t,e,o){if(!t.length)return!1;
let n=o.getBoundingClientRect();return t.some(r=>vn(n,r.box)&&Ss(r,e,o))}function Ss(t,e,o){if(t.element.contains(o)||o.
contains(t.element))return!1;let n=document.createRange();n.selectNodeContents(e);let r=n.getBoundingClientRect(),{box:i}=t;
if(!(i.left<=r.left+1&&i.right>=r.right-1&&i.top<=r.top+1&&i.bottom>=r.bottom-1)||!r.width)return!1;let[a,c]=[(r.left+r.
right)/2,(r.top+r.bottom)/2];if(a>=0&&c>=0&&a<innerWidth&&c<innerHeight){let u=o.getRootNode().elementsFromPoint(a,c),[m,
F]=[u.indexOf(t.element),u.indexOf(o)];if(m>=0&&F>=0)return m<F}return ys(t.element,o)}function ys(t,e){let o=null;for(let r=e;r&&
!r.contains(t);r=p(r))(f(r).position!=="static"||f(r).transform!=="none")&&(o=r);let n=r=>Number(r?f(r).zIndex:0)||0;return n(
t)!==n(o)?n(t)>n(o):!o||!!(o.compareDocumentPosition(t)&Node.DOCUMENT_POSITION_FOLLOWING)}function pe(t){if(!(l&(Zt|$|C|
_|et|Qt)))return!1;let e=t.firstChild;if(e&&!e.nextSibling&&e.nodeType===3)return mt(t,f(t),l)||bt(e,t);let o=document.createTreeWalker(
t,NodeFilter.SHOW_TEXT);for(let n=o.nextNode();n;n=o.nextNode()){let r=n.parentElement;if(!(R(n.nodeValue)||!r||!r.checkVisibility())){
if(mt(r,f(r),l)||bt(n,r))return!0;for(let i=r;i&&i!==t;i=p(i))if(Ct(i,f(i),l))return!0}}return!1}var gt=null;function Mn(){gt=null}function ws(t){if(t.localName==="details"&&!t.open){let r=t.querySelector(":scope > su\
mmary");return r?[r]:[]}let e=S(t);e&&M(e);let o=e?e.childNodes:t.childNodes;if(t.localName==="slot"&&t.assignedNodes){let r=t.
assignedNodes();r.length&&(o=r)}let n=t.getAttribute("aria-owns");return n?[...o,...Mt(t,n).filter(r=>vt(r)===t)]:o}var Es=/"(?:[^"\\]|\\.)*"|open-quote|close-quote|counters?\((?:[^()"]|"[^"]*")*\)/g,
Ns={"open-quote":"“","close-quote":"”"};function Cn(t,e){if(!(l&A))return null;let o=getComputedStyle(t,e),n=o.content;
if(n==="none"||n==="normal"||n===""||o.display==="none"||o.visibility!=="visible")return null;let r=n.indexOf(" / "),i=(r<
0?n:n.slice(r)).match(Es);if(!i)return null;let s=c=>c.startsWith("counter")?r<0?"":As(t,e).get(/\(([^,)]+)/.exec(c)[1].
trim())??0:Ns[c]||c.slice(1,-1).replace(/\\(.)/g,"$1");return{text:i.map(s).join(""),apart:r>=0||!xo(o)}}var Ts=2e4;function As(t,e){
return gt||(gt=new Map,Bn(document.documentElement,new Map,0,{left:Ts})),gt.get(t)?.[e]||new Map}function Bn(t,e,o,n){if(--n.
left<0||f(t).display==="none")return;let r=new Map(e);Fn(f(t),r,o);for(let[i,s]of r)s.level===o&&(e.get(i)?.level??o)===
o&&e.set(i,s);Un(t,"::before",r,o+1);for(let i=Ft(t);i;i=st(i))(i.nodeType===1||I(i))&&Bn(i,r,o+1,n);Un(t,"::after",r,o+
1)}function Un(t,e,o,n){let r=getComputedStyle(t,e);if(/^(?:none|normal)?$/.test(r.content)||(Fn(r,o,n),!r.content.includes(
"counter")))return;let i=new Map([...o].map(([s,a])=>[s,a.value]));gt.set(t,{...gt.get(t),[e]:i})}function Fn(t,e,o){for(let[
n,r]of go(t.counterReset))e.set(n,{value:r,level:o});for(let[n,r]of go(t.counterIncrement,1))e.has(n)||e.set(n,{value:0,
level:o}),e.get(n).value+=r;for(let[n,r]of go(t.counterSet))e.has(n)?e.get(n).value=r:e.set(n,{value:r,level:o})}function go(t,e=0){
return!t||t==="none"?[]:[...t.matchAll(/([^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map(([,o,n])=>[o,n===void 0?e:Number(n)])}var Rs=h(
"inline ruby ruby-text"),xo=t=>Rs.has(t.display)&&(!(l&Kt)||t.float==="none")&&(!(l&$)||!/absolute|fixed/.test(t.position)),
vs=100,Os=/[^ \t\n\r\f]$/,_s=/^[^ \t\n\r\f]/,So=class{constructor(){this.text="",this.head=!1,this.tail=!1,this.empty=!0}add(e,o,n=o){
e&&((o||this.tail)&&Os.test(this.text)&&_s.test(e)&&(this.text+=" "),this.text+=e,this.empty&&(this.head=o),this.empty=!1),
this.tail=n}get from(){return"content"}};function Ut(t,e){e.visited.add(t);let o=ws(t),n=new So,r=Cn(t,"::before");r&&n.
add(r.text,r.apart);let i=vs;for(let a of o){if(i--===0)break;a.nodeType===3?(e.hidden||!(l&E)||f(t).visibility==="visib\
le")&&n.add(Is(a,t),!1):a.nodeType===1&&ks(a,t,e,n)}let s=Cn(t,"::after");return s&&n.add(s.text,s.apart),n}function ks(t,e,o,n){
if(t.localName==="br")return n.add(`
`,!1);if(je.has(t.localName))return;if(o.visited.has(t))return n.add("",!xo(f(t)));let r=vt(t);if(r&&r!==e)return;let i=Bt(
t);if(i&&!o.hidden){i==="hidden"&&!o.referenced&&f(t).visibility!=="visible"&&n.add(Ut(t,o).text,!1);return}if(o.actions?.
includes(t))return;let s=(o.depth||0)+1,a=xt(t,{...o,within:!0,depth:s});if(!a.text&&Ds(t)){t.textContent&&R(t.textContent)&&
n.add(" ",!1);return}let c=a.from!=="content"||o.hidden==="unpainted"||r!==void 0||!xo(f(t));n.add(a.text,c||a.head,c||a.
tail)}var Ls=h("input select textarea button object embed iframe progress meter math video audio wbr hr");function Ds(t){
let e=t.localName;if(Ls.has(e)||e==="img"&&!t.hasAttribute("alt")&&y(t)!=="none"||e==="svg"&&t.firstElementChild)return!1;
let o=f(t);return l&Kt&&o.float!=="none"||l&$&&/absolute|fixed/.test(o.position)?!1:o.display.startsWith("inline")||o.display===
"ruby"}function Is(t,e){if(!(l&P))return t.data;let o=f(e).textTransform;return o==="none"?t.data:o==="uppercase"?t.data.
toUpperCase():o==="lowercase"?t.data.toLowerCase():o==="capitalize"?t.data.replace(new RegExp("(^|\\s)\\p{L}","gu"),n=>n.
toUpperCase()):t.data}var Cs=/:focus(?:-visible|-within)?(?![\w-])/,Us=/:not\(\s*:focus(?:-visible|-within)?\s*\)|:focus(?:-visible|-within)?(?![\w-])/g,
Ms=/(?:^|[\s;])(?:(?:left|right|top|bottom|inset|clip|clip-path|margin|width|height)[\w-]*\s*:|position\s*:\s*static|(?:transform|translate)\s*:[^;]*(?:none|translate|0px))/;var yo=new Map;function Pn(){yo=new Map}function Bs(t){let e=yo.get(t);if(e===void 0){let o=[],n=5e3,r=(s,a)=>{for(let c of s){
if(--n<0)return;let u=c.selectorText,m=u===void 0?a:u.replaceAll("&",`:is(${a||"*"})`);u!==void 0&&Cs.test(m)&&Ms.test(c.
style.cssText)&&o.push(m),c.styleSheet?i(c.styleSheet):c.cssRules?.length&&r(c.cssRules,m)}},i=s=>{try{s.disabled||r(s.cssRules,
"")}catch{n--}};for(let s of[...t.styleSheets,...t.adoptedStyleSheets])i(s);e=o.map(Fs).filter(Ps).join(),yo.set(t,e)}return e}
var Fs=t=>t.replace(Us,(e,o)=>o===0||/[\s>+~,(]/.test(t[o-1])?"*":"");function Ps(t){if(t==="*")return!1;try{return document.
createDocumentFragment().querySelector(t),!0}catch{return!1}}function wo(t){if(t.tabIndex<0||t.disabled)return"";let e=t.
getRootNode(),o=e.styleSheets?Bs(e):"";return o&&t.closest(o)?"unfocused":""}var jt=new Map,No=new Map,To=new Map,Ao=new Map,St=null,he,O=()=>{jt=new Map,No=new Map,To=new Map,Ao=new Map,St=null,he=
void 0,gn(),nn(),En(),Pn(),Mn()},Hs=h("button cell checkbox columnheader DisclosureTriangle gridcell heading LayoutTable\
Cell link math menuitem menuitemcheckbox menuitemradio option radio rowheader switch tab term tooltip treeitem graphics-\
object doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle"),Ws=h("Abbr Canvas caption code definition dele\
tion DescriptionList emphasis Figcaption generic insertion LabelText LayoutTable LayoutTableRow Legend list listitem mar\
k none paragraph Ruby strong subscript superscript SvgRoot time table row rowgroup"),$s=h("address details"),$n=h("capti\
on code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript time"),
Gs=h("textbox searchbox combobox spinbutton"),ue=h("div span"),Gn=h("div span p ul ol li b i em strong small code sectio\
n article main nav header footer aside dl dd tbody thead"),qn={__proto__:null,table:"LayoutTable",tr:"LayoutTableRow",td:"\
LayoutTableCell",th:"LayoutTableCell"},uo=h("input select textarea"),qs=h("button input meter output progress select tex\
tarea"),q=t=>!Z||ao(t)?y(t):(so(),t.computedRole||qn[t.localName]||y(t)),V=t=>{if(!Z)return at(t);let e=t.localName;if(Gn.
has(e)&&!t.hasAttributes())return"";let o=co(t,e);return o!==null?o:e==="input"&&t.type==="file"||uo.has(e)&&js()?at(t):
(so(),t.computedName||(Vs(t)?at(t):""))};function Vs(t){if(nt!==ae)return!1;let e=document.querySelector("dialog:modal,:\
fullscreen");return e!==null&&!e.contains(t)}function js(){return he===void 0&&(he=document.querySelectorAll("input,sele\
ct,textarea").length*document.getElementsByTagName("*").length>4e5),he}var Ys={own:[y,at],native:[t=>q(t),t=>V(t)],chrome:[
t=>t.computedRole||qn[t.localName]||y(t),t=>t.computedName],sure:[t=>ao(t)?y(t):null,t=>co(t,t.localName)]},Vn=t=>{O(),K();
let[e,o]=Ys[t],n=[],r=i=>{i.shadowRoot&&M(i.shadowRoot),n.push([e(i),o(i)]);let s=i.shadowRoot?[i.shadowRoot,i]:[i];for(let a of s)
for(let c of a.childNodes)c.nodeType===1&&r(c)};return r(document.documentElement),n};function f(t){let e=To.get(t);return e||
To.set(t,e=getComputedStyle(t)),e}var v=(t,e)=>{let o=t.getAttribute(e);return o&&o.trim()?o:""};function at(t){let e=No.
get(t);return e===void 0&&(e=dn(t)??(t.localName==="br"?`
`:zs(t)?"":Xs(t)),No.set(t,e)),e}var zs=t=>Gn.has(t.localName)&&!t.hasAttributes()||$n.has(y(t))&&t.namespaceURI!==lt&&!jn(
t)&&!(t.hasAttribute("aria-label")||t.hasAttribute("aria-labelledby")||t.hasAttribute("aria-labeledby")||t.hasAttribute(
"contenteditable")),jn=t=>t.localName.includes("-");function Xs(t){let{text:e,from:o}=xt(t,{visited:new Set});if(!e)return"";
let n=It(e);return n[0]!==" "&&n[n.length-1]!==" "||o!=="content"||f(t).whiteSpace==="pre"?n:k(n)}function Ye(t){let e=t.
getAttribute("aria-labelledby")||t.getAttribute("aria-labeledby");return e?Mt(t,e):[]}function Mt(t,e){let o=t.getRootNode(),
n=[];for(let r of e.split(/\s+/)){let i=r&&o.getElementById&&o.getElementById(r);i&&n.push(i)}return n}function pt(t){let e=t.
getRootNode(),o=Ao.get(e);if(!o){o=new Map;for(let n of e.querySelectorAll?e.querySelectorAll("label"):[]){let r=n.control;
if(!r)continue;let i=o.get(r);i?i.push(n):o.set(r,[n])}Ao.set(e,o)}return o.get(t)||[]}function vt(t){if(!St){St=new Map;
for(let e of document.querySelectorAll("[aria-owns]"))if(!/hidden|inert/.test(Yn(e)))for(let o of Mt(e,e.getAttribute("a\
ria-owns")))St.has(o)||o.contains(e)||!o.checkVisibility()||St.set(o,e)}return St.get(t)}function Bt(t){let e=f(t),o=e.display;
return o==="none"||o===""?"unpainted":t.inert||l&U&&e.contentVisibility==="hidden"&&o!=="inline"?"inert":l&E&&e.visibility!==
"visible"||t.getAttribute("aria-hidden")==="true"?"hidden":""}function Yn(t){for(let e=t;e;e=p(e)){let o=Bt(e);if(o)return o}
return""}function xt(t,e){if(t.localName==="slot")return Hn(t,"generic",e)?Ut(t,e):{text:"",from:"content"};!e.within&&t.
hasAttribute("aria-actions")&&(e={...e,actions:Mt(t,t.getAttribute("aria-actions"))});let o=e.referenced?[]:Ye(t);if(o.length){
let i=Zs(o,e);if(i)return{text:i,from:"reference"}}let n=y(t);if(e.within){let i=ta(t,n,e);if(i)return{text:i,from:"valu\
e"}}let r=v(t,"aria-label");if(r)return{text:r,from:"attribute"};if(n!=="none"){let i=na(t,n,e);if(i!==null)return{text:i,
from:"native"}}if(Hn(t,n,e)){if(e.depth>Ks)return{text:t.textContent,from:"content"};let i=Ut(t,e);if(!R(i.text))return i}
return{text:sa(t,n),from:"attribute"}}var Ks=600,Qs=h("select progress map object video audio");function Hn(t,e,o){return zn(
t)?o.within:Hs.has(e)?!0:o.referenced&&o.within&&!Qs.has(t.localName)?e!=="group"||!o.hidden||!o.depth:e==="row"&&!o.within?
Js(t):o.within&&(Ws.has(e)||$s.has(t.localName))}function Js(t){for(let e=p(t);e;e=p(e)){let o=y(e);if(o==="grid"||o==="\
treegrid")return!0;if(o==="table")return!1}return!1}function zn(t){let e=t.getAttribute("contenteditable");return e!==null&&
e!=="false"&&t.isContentEditable}function Zs(t,e){let o=[];for(let n of t){let r=Yn(n);if(r==="inert")continue;let i={visited:new Set(
e.visited),referenced:!0,within:!0,hidden:r};o.push(k(xt(n,i).text))}return o.filter(Boolean).join(" ")}function ta(t,e,o){
switch(e){case"textbox":case"searchbox":return Ro(t)?Wn(t):t.textContent;case"combobox":case"listbox":return t.localName===
"select"?Array.from(t.selectedOptions,n=>n.label).join(" "):Ro(t)?Wn(t):ea(t,o);case"slider":case"scrollbar":case"spinbu\
tton":case"progressbar":case"meter":return oa(t,e)}return null}var Ro=t=>t.localName==="input"||t.localName==="textarea",
Wn=t=>t.type==="password"?"•".repeat(t.value.length):t.value;function ea(t,e){let o=Array.from(t.querySelectorAll('[ro\
le="option"][aria-selected="true"]')),n={...e,within:!0};return o.map(r=>k(Ut(r,n).text)).join(" ")}function oa(t,e){let o=t.
getAttribute("aria-valuetext")||t.getAttribute("aria-valuenow");return o||(t.localName==="progress"?t.position<0?null:String(
t.value):t.localName==="input"||t.localName==="meter"?String(t.value):e==="slider"||e==="scrollbar"?"50":e==="progressba\
r"?null:"0")}function na(t,e,o){let n=t.localName;if(t.namespaceURI===lt)return Eo(t,"title",o);if(qs.has(n)||n.includes(
"-")){let r=ia(t,o);if(r)return r}switch(n){case"input":return ra(t);case"img":case"area":return t.getAttribute("alt");case"\
fieldset":return Eo(t,"legend",o);case"table":return Eo(t,"caption",o)||v(t,"summary")||null;case"optgroup":case"option":
return v(t,"label")||null;case"abbr":case"acronym":return!o.within&&v(t,"title")||null}return null}function ra(t){switch(t.
type){case"button":return t.value||null;case"submit":return t.hasAttribute("value")?t.value:"Submit";case"reset":return t.
hasAttribute("value")?t.value:"Reset";case"image":return v(t,"alt")||v(t,"value")||v(t,"title")||"Submit";case"file":return"\
Choose File"}return null}function ia(t,e){let o=pt(t);if(!o.length)return"";let n=[],r=new Set(e.visited).add(t);for(let i of o){
let s=Bt(i);if(s&&s!=="inert"||r.has(i))continue;let a=ie(i,t);if(a!==null){n.push(a);continue}let c={visited:r,within:!0,
referenced:e.referenced};n.push(k(xt(i,c).text))}return n.filter(Boolean).join(" ")}function Eo(t,e,o){for(let n=t.firstElementChild;n;n=
n.nextElementSibling){if(n.localName!==e)continue;if(e==="title")return n.textContent;if(Bt(n))return null;let r=new Set(
o.visited).add(t);return k(xt(n,{...o,visited:r,within:!0}).text)||null}return null}function sa(t,e){if(!$n.has(e)||jn(t)||
zn(t)){let o=v(t,"title");if(o&&o!==k(t.textContent))return o}return Gs.has(e)?Ro(t)&&v(t,"placeholder")||v(t,"aria-plac\
eholder"):""}var me=0,yt=1,ge=t=>(me||=t,yt=Math.max(yt,t),[!!Z,me]),wt=new Map,Xn=new WeakMap,Pt=new WeakMap,Nt=new WeakMap,ct=(t,e)=>{
let{get:o}=Object.getOwnPropertyDescriptor(t.prototype,e);return n=>o.call(n)},I=t=>t instanceof HTMLFormElement,aa=ct(Node,
"parentNode"),st=ct(Node,"nextSibling"),Ft=ct(Node,"firstChild"),ca=ct(Element,"assignedSlot"),ua=ct(HTMLFormElement,"el\
ements"),la="nodeType localName tabIndex attributes hasAttribute getAttribute getBoundingClientRect matches checkVisibil\
ity isContentEditable children childElementCount firstElementChild firstChild offsetHeight offsetWidth textContent close\
st labels required readOnly inert isConnected getRootNode getClientRects computedRole computedName shadowRoot querySelec\
torAll".split(" "),Q=t=>{let e=ua(t);return la.some(o=>e.namedItem(o))},S=t=>{let e=t.shadowRoot||Pt.get(t);return e&&e.
nodeType===11?e:null};function p(t){let e=I(t),o=e?ca(t):t.assignedSlot;if(o)return o;let n=e?aa(t):t.parentNode;return I(
n)?n:n&&n.nodeType===11?n.host||xe(n):n&&n.nodeType===1?n:null}var Qn=new WeakMap,xe=t=>Qn.get(t)||null;function Et(t,e){
for(let o=t;o;o=p(o))if(o===e)return!0;return!1}function Ht(){let t=document.compatMode==="BackCompat"?document.body:document.
documentElement;return{width:t?.clientWidth||innerWidth,height:t?.clientHeight||innerHeight}}function ut(t,e){let o=document.
elementFromPoint(t,e);for(let n=o&&S(o);n;n=o&&S(o)){let r=n.elementFromPoint(t,e);if(!r||r===o)break;o=r}return o}function J(t,e){
if(!e)return!1;if(Et(e,t))return!0;for(let o=e;o;o=p(o)){if(o.localName==="label")return o.control===t;if(o.localName===
"area")return o===t}if(t.localName==="area"){let o=t.closest("map");return e.localName==="img"&&!!o&&e.useMap==="#"+o.name}
return t.localName==="option"&&Et(e,t.closest("select"))}var Oo=t=>t.overflowX!=="visible"||t.overflowY!=="visible";function Se(t,e,o){
for(let n=p(t);n&&n!==document.documentElement;n=p(n)){if(n===document.body||!Oo(getComputedStyle(n)))continue;let r=n.getBoundingClientRect();
if(e<r.left||e>r.right||o<r.top||o>r.bottom)return r.width<1||r.height<1?"flat":"yes"}return""}function ye(t,e){for(let o=p(
t);o&&o!==document.documentElement;o=p(o)){if(!o.scrollTop&&!o.scrollLeft)continue;let n=o.getBoundingClientRect();if(e.
bottom+o.scrollTop>n.top&&e.right+o.scrollLeft>n.left)return!0}return!1}function we(t,e=t.getBoundingClientRect()){let o=[
[e.left+e.width/2,e.top+e.height/2]],n=t.getClientRects();if(n.length>1&&n.length<20)for(let r of n)r.width>1&&r.height>
1&&o.push([r.left+r.width/2,r.top+r.height/2]);return o}var Kn=[.08,.29,.5,.71,.92];function fa(t){let{width:e,height:o}=Ht(),
[n,r]=[Math.max(t.left,0),Math.min(t.right,e)],[i,s]=[Math.max(t.top,0),Math.min(t.bottom,o)];if(r-n<1||s-i<1)return[];let a=Kn.
flatMap(u=>Kn.map(m=>[u,m])),c=([u,m])=>(u-.5)**2+(m-.5)**2;return a.sort((u,m)=>c(u)-c(m)),a.map(([u,m])=>[n+(r-n)*u,i+
(s-i)*m])}var da="a[href],button,input,select,textarea,summary,label,[onclick],[tabindex],[contenteditable]";function Ee(t,e){
for(let[o,n]of fa(e.getBoundingClientRect())){let r=ut(o,n);if(!r||!(J(t,r)||Et(r,e)))continue;let i=r;for(;i&&i!==t&&i!==
e&&!i.matches(da);)i=p(i);if(i===t||i===e||!Et(r,t))return[o,n]}return null}function _o(t){for(let e of t.children){let o=e.
getBoundingClientRect();if(o.width>=1&&o.height>=1&&e.checkVisibility())return!0}return!1}function Wt(t){let e=t.localName;
return t.id&&typeof t.id=="string"?e+="#"+t.id:typeof t.className=="string"&&t.className.trim()&&(e+="."+t.className.trim().
split(ot).slice(0,2).join(".")),`<${b(e,60)}>`}function ko(t){return b(x(t.innerText||t.textContent||""),100)}var Lo=t=>/^(iframe|frame|fencedframe)$/.
test(t.localName),Ne=t=>b(x(t.title||t.name||""),100),Te=t=>At(t,"iframe",Ne(t));function Do(t,e,o=B(t)){let n=ha.get(e);
if(e==="input"?n=lo.get(t.type):e==="a"&&t.hasAttribute("href")?n="link":e==="select"&&(n=t.multiple||t.size>1?"":"combo\
box"),o&w){let r=o&L||!ue.has(e)?null:t.getAttribute("role");n=ma.has(r)?r:""}return n&&t.namespaceURI===N?n:Io(t)||"gen\
eric"}var pa={__proto__:null,LayoutTable:"table",LayoutTableRow:"row",LayoutTableCell:"cell"},Io=t=>{let e=q(t);return pa[e]||
e},ha=new Map([["div","generic"],["span","generic"],["p","generic"],["label","LabelText"],["button","button"],["h1","hea\
ding"],["h2","heading"],["h3","heading"],["h4","heading"],["h5","heading"],["h6","heading"],["section","generic"]]),ma=new Set(
["button","link"]),lo=new Map([["text","textbox"],["email","textbox"],["tel","textbox"],["url","textbox"],["password","t\
extbox"],["search","searchbox"],["number","spinbutton"],["checkbox","checkbox"],["radio","radio"],["submit","button"],["\
button","button"]]),w=1,$t=2,be=4,L=8,ba=16,ne=32,vo=new Map([["role",w],["tabindex",w],["title",w|L],["list",w|L],["con\
tenteditable",w|L],["aria-disabled",w|L|$t|be],["inert",be],["onclick",ba],["hidden",ne],["draggable",w|L],["autofocus",
w|L]]);function B(t){if(!t.hasAttributes())return 0;let e=0;for(let o of t.getAttributeNames()){let n=vo.get(o);e|=n===void 0?
ga(o):n}return e}function ga(t){let e=0;return t.startsWith("aria-")?e=w|L|$t:/^(?:popover|command)/.test(t)&&(e=w|L|ne),
vo.size<1e3&&vo.set(t,e),e}function Tt(t){if(Lo(t))return["iframe",Ne(t)];let e=Do(t,t.localName),o=b(x(V(t)||""),200)||
Ae(t,e);return[e,o]}var Ae=(t,e)=>t.localName==="area"?b(x(t.alt||t.title),100):(e==="generic"||e==="none"||e==="cell"||
e==="row")&&!t.isContentEditable?b(x(t.textContent.slice(0,400)),100):"";function At(t,e,o){let n=Xn.get(t);if(n!==void 0){
let i=wt.get(n);if(i&&i.role===e&&i.name===o)return n}let r=yt++;return wt.set(r,{element:new WeakRef(t),role:e,name:o}),
Xn.set(t,r),r}function j(){let t=document.activeElement;for(let e=t&&S(t);e&&e.activeElement;)t=e.activeElement,e=S(t);return t}
var Re=t=>`${t.matches(":defined")} ${t.offsetWidth} ${t.offsetHeight}`;function Jn(t,e){Nt.set(t,Re(t)),e&&(Pt.set(t,e),
Qn.set(e,t))}var ve=[],Oe=t=>(ve=t.slice(0,64)).length,Zn=t=>ve[t],tr=t=>(O(),At(t,...Tt(t))),_e=()=>yt;function er(t){let e=t.
closest("map");return e&&t.getRootNode().querySelector(`img[usemap="#${CSS.escape(e.name)}"]`)}var ke=t=>{if(t.localName===
"area")return!!er(t)?.checkVisibility();let e=t.labels?.length>0;if(!t.checkVisibility({visibilityProperty:!0}))return e;
let o=t.getBoundingClientRect();return o.width>0&&o.height>0||e||_o(t)};function Le(t){if(t.localName!=="area")return null;
let e=er(t);if(!e)return null;let o=e.getBoundingClientRect(),n=t.coords.split(",").map(Number);if(n.length<3)return[[o.
left+o.width/2,o.top+o.height/2]];if(t.shape==="circle")return[[o.left+n[0],o.top+n[1]]];let r=0,i=0;for(let a=0;a+1<n.length;a+=
2)r+=n[a],i+=n[a+1];let s=Math.floor(n.length/2)||1;return[[o.left+r/s,o.top+i/s]]}var De=t=>{let e=b(ko(t),40);return e?
` "${e}"`:""};var ir=["pointerdown","mousedown","pointerup","mouseup","click","dblclick","auxclick","contextmenu"],xa=5e3,Sa=6e4,g=null;
function Co(t,e){Ie();let o=performance.now()+xa,n=e?cr(t):null,r=[window,...Ea(t)];g={element:t,wording:n,events:[],blocked:"",
cut:"",until:o,places:r};for(let i of r)for(let s of ir)i.addEventListener(s,ar,{capture:!0,passive:!1})}function sr(t){
Co(t,!1),g.around=!0}function Ie(){if(g){for(let t of g.places)for(let e of ir)t.removeEventListener(e,ar,{capture:!0});
g=null}}function ar(t){if(!g||!t.isTrusted||performance.now()>g.until)return;let{element:e,events:o,around:n}=g;if(n&&!g.
blocked&&!t.type.endsWith("down"))return;let r=t.composedPath()[0],i=r instanceof Node;if(i&&Uo(e,r))return;if(i&&!n&&J(
e,r)&&!g.blocked&&ya()){o.length||wa(),o.push(t.type);return}if(o.length&&!g.blocked&&t.type.endsWith("up"))return;let a=r instanceof
Element?Wt(r)+De(r):"the page";o.length&&!g.blocked?g.cut=g.cut||a:g.blocked=g.blocked||a,t.preventDefault(),t.stopImmediatePropagation()}
var ya=()=>g.wording===null||g.events.includes("click")||cr(g.element)===g.wording;function wa(){g.until+=Sa,typeof globalThis.
pilothousePressed=="function"&&globalThis.pilothousePressed("")}function cr(t){let e=[t.textContent.slice(0,2e3)];for(let o of[
"aria-label","title","alt","placeholder"])e.push(t.getAttribute(o));/^(button|submit|reset)$/.test(t.type)&&e.push(t.value);
for(let o of t.labels||[])e.push(o.textContent);for(let o of(t.getAttribute("aria-labelledby")||"").split(ot))o&&e.push(
t.getRootNode().getElementById?.(o)?.textContent);for(let o of t.querySelectorAll("img[alt],[aria-label]"))e.push(o.getAttribute(
"aria-label")||o.alt);return e.join(`
`)}function Ea(t){let e=[];for(let o=t.getRootNode();o&&o.nodeType===11;){let n=o.host||xe(o);if(!n)break;Pt.get(n)===o&&
e.push(o),o=n.getRootNode()}return e}function Uo(t,e){for(let o=t.getRootNode();o&&o.nodeType===11;){let n=o.host||xe(o);
if(!n)return!1;if(n===e)return Pt.has(e);o=n.getRootNode()}return!1}var d=null,Gt=new Set,ur=t=>{Gt.size<500&&Gt.add(t)};
function Ce(){d?.observer.disconnect();let t={added:0,removed:0,attributes:0,text:0,inputs:0,scrolled:0},e=new MutationObserver(
Mo),o={childList:!0,attributes:!0,characterData:!0,subtree:!0};e.observe(document,o);for(let n of Gt)n.isConnected?e.observe(
n,o):Gt.delete(n);d={observer:e,counts:t,focus:j(),href:location.href,told:null,live:Ra(),invalid:new Set,tried:!1,submitted:!1};
for(let[n,r]of fr)addEventListener(n,r,!0)}var or="[role=alert],[role=status],[role=alertdialog],output,[aria-live=polit\
e],[aria-live=assertive]",Na=200,Ta=5,Aa=200;function lr(){let t=[...document.querySelectorAll(or)];for(let e of Gt)e.isConnected&&
t.push(...e.querySelectorAll(or));return t.slice(0,Na)}var Ra=()=>new Map(lr().map(t=>[t,t.textContent]));function va(t){
let e=[],o=null;for(let n of lr()){if(o&&o.contains(n)||n.textContent===(t.get(n)??"")||!n.checkVisibility({opacityProperty:!0,
visibilityProperty:!0}))continue;let r=b(x(n.innerText??n.textContent),Aa);if(!r)continue;o=n;let i=n.getAttribute("role")===
"status"||n.localName==="output"?"status":"alert";if(e.push(`${i}: ${r}`),e.length===Ta)break}return e}var Oa=5;function _a(t){
let e=t.composedPath()[0];d&&t.isTrusted&&d.invalid.size<Oa&&d.invalid.add(e)}function ka(){d&&(d.submitted=!0)}function nr(t){
if(!d)return;let e=t.composedPath()[0];if(t.type==="click"&&e.localName==="input"&&e.type==="file"&&(d.chooser=!0),t.type===
"click"&&e instanceof Element&&Element.prototype.closest.call(e,"a[download]")&&(d.download=t),!t.isTrusted)return;let o=e instanceof
Element?Element.prototype.closest.call(e,"button,input"):null;(t.type==="keydown"?t.key==="Enter":o&&/^(submit|image)$/.
test(o.type))&&(d.tried=!0)}function La(){return!d.invalid.size||d.submitted?[]:(O(),Array.from(d.invalid,t=>{let[e,o]=Tt(
t);return`${b(o||e,60)}: ${b(x(t.validationMessage||"not valid"),160)}`}))}function Mo(t){if(!d)return;let{counts:e}=d;for(let o of t)
o.type==="childList"?(e.added+=o.addedNodes.length,e.removed+=o.removedNodes.length):o.type==="attributes"?e.attributes++:
e.text++;dr()}function rr(){d&&d.counts.inputs++,dr()}function Da(){d&&d.counts.scrolled++}var fr=[["input",rr],["change",
rr],["scroll",Da],["invalid",_a],["submit",ka],["click",nr],["keydown",nr]];function dr(){d?.told&&d.told(!0)}var pr=()=>new Promise(
t=>{if(!d)return t(!1);Mo(d.observer.takeRecords());let{added:e,removed:o,attributes:n,text:r,inputs:i}=d.counts;if(e+o+
n+r+i)return t(!0);d.told=t});function hr(t){let e={events:[],blocked:"",cut:""};if(g){let{events:o,blocked:n,cut:r}=g;Object.
assign(e,{events:o,blocked:n,cut:r})}if(d){Mo(d.observer.takeRecords()),Object.assign(e,d.counts);let o=j();o!==d.focus&&
(e.focus=Bo(o)),location.href!==d.href&&(e.url=location.href),e.title=document.title,d.chooser&&(e.chooser=!0),d.download&&
!d.download.defaultPrevented&&(e.download=!0),t&&(e.alerts=va(d.live),e[d.tried?"refused":"invalid"]=La())}if(t){Ie(),d?.
observer.disconnect(),d?.told&&d.told(!1);for(let[o,n]of fr)removeEventListener(o,n,!0);d=null,document.documentElement?.
getBoundingClientRect()}return e}function Bo(t){if(!t||t===document.body||t===document.documentElement)return"nothing";O();
let[e,o]=Tt(t);return o?`${e} "${b(o,60)}"`:`${e} ${Wt(t)}`}var mr=()=>!g||g.events.length>0&&!g.blocked;var Ue=new Set("script style template noscript head meta link title base param source track datalist".split(" ")),br=new Set(
"generic none presentation paragraph strong emphasis code time mark superscript subscript term definition label legend L\
abelText Legend abbr dfn blockquote figcaption associationlist section ruby rt rp suggestion comment".split(" ")),Fo=new Set(
"button link heading option checkbox radio switch tab menuitem menuitemcheckbox menuitemradio treeitem tooltip disclosur\
etriangle DisclosureTriangle".split(" ")),gr=new Set(["div","span","p"]),xr=new Set("cell row rowgroup caption table lis\
t listitem article main document".split(" ")),Me=new Set("textbox searchbox combobox listbox slider spinbutton progressb\
ar meter".split(" "));function Sr(t,e,o){o===!0||o==="true"||o===""?t.push(e):o==="mixed"&&t.push(`${e}=mixed`)}var Ia=()=>null,Ca=new Set(["a",
"li","ul","ol","nav","main","section"]),Ua=/^(?:button|input|select|textarea|option|optgroup|fieldset)$|-/;function Be(t,e,o,n,r){
let i=[],s=t.localName;if(!(n&$t)&&!r&&Ca.has(s))return t===o&&i.push("focused"),i;let a=n&$t?u=>t.getAttribute("aria-"+
u):Ia;e==="heading"&&i.push("level="+Fa(s,a("level"))),(r||Ua.test(s)&&t.matches(":disabled"))&&i.push("disabled"),s==="\
input"&&(t.type==="checkbox"||t.type==="radio")?t.indeterminate?i.push("checked=mixed"):t.checked&&i.push("checked"):a("\
checked")&&Sr(i,"checked",a("checked")),s==="input"&&t.type==="file"&&Ba(t,i),a("pressed")&&Sr(i,"pressed",a("pressed")),
(s==="option"?t.selected:a("selected")==="true")&&i.push("selected");let c=Wa(t,s,a("expanded"));return c&&i.push(c),(t.
required||a("required")==="true")&&i.push("required"),(t.readOnly&&s!=="select"||a("readonly")==="true")&&i.push("readon\
ly"),a("invalid")&&a("invalid")!=="false"&&i.push("invalid"),a("current")&&a("current")!=="false"&&i.push("current"),a("\
busy")==="true"&&i.push("busy"),t===o&&s!=="body"&&i.push("focused"),e==="dialog"&&(a("modal")==="true"||s==="dialog"&&Pa(
t))&&i.push("modal"),i}var Ma=/^[\w.,*+/-]{1,60}$/;function Ba(t,e){e.push("file-input"),t.multiple&&e.push("multiple");
let o=(t.getAttribute("accept")||"").replace(/\s+/g,"");Ma.test(o)&&e.push("accepts="+o)}function Fa(t,e){let o=parseInt(
e,10)||(/^h[1-6]$/.test(t)?Number(t[1]):2);return Math.min(Math.max(o,1),99)}var Pa=t=>{try{return t.matches(":modal")}catch{
return!1}},Ha=/^(?:input|select|textarea)$/,yr=t=>{if(!Ha.test(t.localName))return!1;try{return t.matches(":user-invalid")&&
!!t.validationMessage}catch{return!1}};function Wa(t,e,o){if(e==="summary"){let n=t.parentElement;if(n&&n.localName==="d\
etails")return n.open?"expanded":"collapsed"}return o==="true"?"expanded":o==="false"?"collapsed":""}var wr=t=>t.matches(
":disabled")||Po(t);function Po(t){for(let e=t;e;e=p(e))if(!(I(e)&&Q(e))&&Ho(e))return!0;return!1}var Ho=t=>t.inert||t.getAttribute(
"aria-disabled")==="true",$a="••••••";function Wo(t,e,o=null){let n=t.localName;if(n==="select")return Ga(t,
o);if(n==="input"){let i=t.type;return i==="password"?t.value?$a:"":i==="file"?b(x(Array.from(t.files||[],s=>s.name).join(
", ")),200):/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(i)?"":b(x(t.value),200)}if(n==="textarea")return b(
x(t.value),200);if(n==="progress"||n==="meter")return String(t.value);if(t.isContentEditable&&Me.has(e))return b(x(t.innerText),
200);let r=t.getAttribute("aria-valuetext")||t.getAttribute("aria-valuenow");return r&&e!=="generic"?b(x(r),80):""}function Ga(t,e){
let o=t.options,n=t.multiple?null:o[t.selectedIndex],r=t.multiple?Array.from(t.selectedOptions):n?[n]:[],i=b(r.map(u=>x(
u.label)).join(", "),100);if(e&&!t.querySelector("[label]")){let u=t.textContent;if(o.length>r.length&&e.has(u))return i+
" (or …)";e.add(u)}let s=[],a=0;for(let u of o){if(u.selected)continue;let m=b(x(u.label),30);if(a+=m.length+3,a>100)break;
s.push(m)}let c=o.length-r.length-s.length;return s.length&&(i+=` (or ${s.join(" | ")}${c>0?` | ${c} more`:""})`),i}var qa=/^(?!(?:button|input|select|textarea|option|script|style|link|meta|head|title|br)$)/,Er=t=>qa.test(t.localName)&&
!(t.localName==="a"&&t.hasAttribute("href"));var qt=[],Fe=null,Pe=new WeakSet;function Nr(t){Pe=new WeakSet;for(let e of t)qt[e]&&Pe.add(qt[e])}function Tr(){qt=[]}function Ar(t,e,o){
for(let n of t.querySelectorAll("*"))if(Er(n)){if(e.length>=o)break;e.push(n),n.shadowRoot&&Ar(n.shadowRoot,e,o)}return e}
function Rr(t){Fe=new MutationObserver(()=>{}),Fe.observe(document,{childList:!0,subtree:!0}),qt=Ar(document,[],t)}function vr(){
let t=Fe.takeRecords().length===0;return Fe.disconnect(),t||(qt=[]),t}var $o=new Set("button link textbox searchbox combobox listbox option checkbox radio switch tab menuitem menuitemcheckbo\
x menuitemradio slider spinbutton treeitem scrollbar ColorWell Date DateTime InputTime DisclosureTriangle PopUpButton".split(
" "));function Va(t,e){return t.disabled||t.hasAttribute("tabindex")?!0:e==="a"||e==="area"?t.hasAttribute("href"):e==="\
video"||e==="audio"?t.controls:!/^(div|span|body|html|object|embed|frame|dialog)$/.test(e)}var ja=t=>{let e=p(t);return!!e&&
e.isContentEditable};function Or(t,e){return Go(t,e)||qo(t,e)}var _r=new Set(["div","span","section","article"]);function Go(t,e){
return _r.has(e)?!t.firstChild&&t.offsetHeight>3&&t.offsetWidth>3&&!S(t):e.includes("-")&&!S(t)}function qo(t,e){if(!_r.
has(e)||S(t))return!1;let o=t.firstElementChild;return o!==null&&t.childElementCount<4&&Ya(o)}var Ya=t=>t.localName!=="s\
cript"&&t.localName!=="style"&&t.localName!=="template"&&!t.checkVisibility()&&t.isConnected&&t.getClientRects().length===
0&&getComputedStyle(t).display==="";function kr(t,e,o,n,r,i){return $o.has(o)||o==="gridcell"&&(t.hasAttribute("tabindex")||
t.hasAttribute("aria-selected"))||t.tabIndex>=0&&Va(t,e)||t.isContentEditable&&!ja(t)?!0:e==="label"&&t.control||e==="bo\
dy"||e==="html"?!1:n==="pointer"&&r!=="pointer"?!0:i.has(t)||t.hasAttribute("onclick")&&e!=="body"}function Vt(t){let e=t.
type;if(e!=="checkbox"&&e!=="radio"&&e!=="file")return"";for(let o of t.labels||[]){let n=o.getBoundingClientRect();if(n.
width>1&&n.height>1&&o.checkVisibility())return"yes"}return""}var Lr=120,za=1e3,Xa=600,Ka=150,Qa=100,Ja="[role=alert],[role=status],[role=alertdialog],h1,h2,h3",Za=40,Dr=new Map([["d\
eletion","deleted"],["insertion","inserted"]]),tc="tbody,tfoot,[role=rowgroup]";function ec(t){if(t.hasAttribute("aria-l\
abel")||t.hasAttribute("aria-labelledby"))return!1;let e=0;for(let o=t.parentNode&&Ft(t.parentNode);o&&e<2;o=st(o))o instanceof
HTMLElement&&!I(o)&&o.matches(tc)&&!o.querySelector("[role=columnheader]")&&e++;return e<2}var Rt=t=>Ot&&I(t),He=class{constructor(e,o){
this.options=e,this.lines=[],this.text="",this.textDepth=0,this.muted=0,this.naming="",this.veils=0,this.level=0,this.out=
!1,o&&Nr(o),this.heard=Pe,this.active=j();let{width:n,height:r}=Ht();this.width=n,this.height=r,this.scrollX=scrollX,this.
scrollY=scrollY,this.suspects=[],this.odd=!0,this.off=0,this.grids=0,this.inside="",this.said=[],this.lists=e.lists?null:
new Set,this.slots=null,this.boxes=e.keep?[]:null}line(e,o){this.said[e]=(this.said[e]||0)+1,this.lines.push(`${Math.min(
e,Ka)}	${o}`)}flush(){if(!this.text)return;let e=b(x(this.text),za);this.text="",e&&this.line(this.textDepth,`text	${e}	\
			`)}say(e,o){this.muted||this.out||(this.text&&this.textDepth!==o&&this.flush(),this.textDepth=o,this.text+=e)}children(e,o,n,r=S(
e)){if(e.localName==="slot"){let u=e.assignedNodes();if(u.length){for(let m of u)this.node(m,o,n);return}}r&&ur(r);let i=Rt(
e)?Ft(e):(r||e).firstChild;if(i&&!this.options.most)return this.all(i,o,n);let s=this.options.most||1/0,a=(this.said[o]||
0)+s,c=this.lines.length+s*20;for(let u=i;u;u=Rt(u)?st(u):u.nextSibling)(this.said[o]>=a||this.lines.length>=c)&&u.nodeType===
1&&(u=this.rest(u,o)),this.node(u,o,n)}all(e,o,n){for(let r=e;r;r=Rt(r)?st(r):r.nextSibling)this.node(r,o,n)}rest(e,o){let n=0,
r=e;for(let i=e;i;i=Rt(i)?st(i):i.nextSibling)i.nodeType===1&&(i!==e&&(n+=1+r.getElementsByTagName("*").length),r=i);return this.
flush(),n&&(this.line(o,`…	${n}	${this.inside}			`),this.outstanding(e,r,o)),r}outstanding(e,o,n){let r=e.parentNode;if(!r||
!r.querySelectorAll)return;let i=Za,s=this.odd;for(let a of r.querySelectorAll(Ja))if(!(!(e.compareDocumentPosition(a)&4)&&
!e.contains(a))){if(o.contains(a)||o.compareDocumentPosition(a)&4)break;if(a.checkVisibility({opacityProperty:!0,visibilityProperty:!0})&&
(this.odd=!0,this.node(a,n,""),!--i))break}this.odd=s}maskedForm(e,o){let n=getComputedStyle(e);n.display!=="none"&&(this.
flush(),this.children(e,o,n.cursor),this.flush())}node(e,o,n){let r=e.nodeType;if(r===3){if(this.muted||this.out||this.hidden===
e.parentNode)return;let i=e.data;if(!R(i)&&(this.unseen(e)||this.under(e)))return;this.say(i,o)}else if(r===1||Rt(e)){if(Rt(
e)&&Q(e))return this.maskedForm(e,o);if(this.level>=Xa)return this.say(" … ",o);this.level++,this.element(e,o,n),this.
level--}}element(e,o,n){let r=e.localName;if(Ue.has(r))return;if(r==="br")return this.say(" ",o);let i=S(e);i&&M(i);let s=B(
e),a=this.odd,c=s&be&&Ho(e)?1:0;this.off+=c,!a&&dt(e,r,s)&&(ee()||eo(e))?this.laidOut(e,r,un.has(r),o,oo(e,r,n),n,s):this.
styled(e,r,o,n,s),this.off-=c,this.odd=a}styled(e,o,n,r,i){let s=getComputedStyle(e),a=s.display;if(a==="none"){o==="are\
a"&&this.area(e,n);return}a===""&&this.unpaintedIn(e.parentElement,e);let c=to.has(o)&&e.namespaceURI===N,u=c&&tt?oo(e,o,
r):l&kt?s.cursor:"",m=c&&ln.has(a),F=m&&!this.odd&&ee();if(this.odd=!m,a==="contents")return this.children(e,n,u);let $e=F||
eo(e);if(!$e&&!(l&(E|_)&&e.checkVisibility()))return;let Ge=a.startsWith("inline");if(!$e&&s.visibility!=="visible"){let qe=this.
hidden;this.hidden=e,this.laidOut(e,"",Ge,n,u),this.hidden=qe}else if(this.hides(e,s,$e)){let qe=this.muted;this.muted++,
this.veils++,this.laidOut(e,o,Ge,n,u,r,i),this.veils--,this.muted=qe}else this.laidOut(e,o,Ge,n,u,r,i)}laidOut(e,o,n,r,i,s,a){
let c=this.out;this.options.viewport&&(this.out=this.outside(e)),n||this.flush(),o?this.shown(e,o,r,i,s,a):this.children(
e,r,i),n||this.flush(),this.out=c}outside(e){let o=e.getBoundingClientRect();return o.top>=this.height||o.bottom<=0||o.left>=
this.width||o.right<=0}unseen(e){let o=e.parentElement||e.parentNode.host;if(!o)return!1;if(o!==this.textParent){this.textParent=
o;let n=l&Zt?f(o):null,r=this.options.all||!mt(o,n,l);this.textUnseen=!r||oe(o,o.localName)}return this.textUnseen}under(e){
let o=e.parentElement||e.parentNode.host;return!this.options.all&&!!o&&bt(e,o)}dim(e){return!this.options.all&&(this.veils>
0||pe(e))}hides(e,o,n){if(this.options.all)return!1;let r=D?D.length:0,i=!n&&o.opacity==="0"||Ct(e,o,l);return D&&(i||this.
veils)&&(D.length=r),i}shown(e,o,n,r,i,s){if(s===0&&gr.has(o)&&this.doesNothing(e,r,i))return this.suspect(e,o),this.children(
e,n,r);let a=Do(e,o,s),c=kr(e,o,a,r,i,this.heard);if(o==="iframe"||o==="frame"||o==="fencedframe")return this.frame(e,n);
this.suspect(e,o);let u=c?this.reach(e):"";if(u!=="gone"){if(u)return this.acted(e,a,n,r,s,u);if(o==="label"&&e.control)
return this.label(e,n,r);if(Dr.has(a))return this.edited(e,Dr.get(a),n,r);if(br.has(a)||a==="rowgroup"&&ec(e))return this.
children(e,n,r);if(a==="img"||a==="image"||a==="graphics-symbol")return this.image(e,a,n,r);oe(e,o)||this.container(e,a,
n,r,s)}}edited(e,o,n,r){this.say(`[${o}: `,n),this.children(e,n,r),this.say("]",n)}doesNothing(e,o,n){return o==="pointe\
r"&&n!=="pointer"?!1:!this.heard.has(e)&&e.namespaceURI===N}suspect(e,o){Go(e,o)&&Nt.get(e)!==Re(e)&&this.suspects.push(
e)}unpaintedIn(e,o){!e||e.firstElementChild!==o||!qo(e,e.localName)||Nt.get(e)!==Re(e)&&this.suspects.push(e)}reach(e){if(l&
Je&&f(e).pointerEvents==="none"&&e.tabIndex<0)return"";let o=e.getBoundingClientRect();if(this.boxes&&this.boxes.push(e,
o),o.width<1||o.height<1)return oe(e,e.localName)?"gone":_o(e)?"yes":Vt(e);if((o.right+this.scrollX<=0||o.bottom+this.scrollY<=
0)&&!ye(e,o))return o.right>=-2e3&&f(e).position!=="fixed"&&Vt(e)||wo(e);if(o.top>=this.height||o.bottom<=0||o.left>=this.
width||o.right<=0)return this.options.viewport?"":"yes";let n=o.left+o.width/2,r=o.top+o.height/2;if(this.hits(e,n,r))return"\
yes";for(let[s,a]of we(e,o).slice(1))if(this.hits(e,s,a))return"yes";let i=Se(e,n,r);return i?i==="flat"||this.options.viewport?
"":"yes":o.width<=1&&o.height<=1||l&et&&bo(f(e))?Vt(e)||wo(e)||"point":Vt(e)||(e.closest("[inert]")?"":this.coveredAt(e,
o,n,r))}coveredAt(e,o,n,r){let i=ut(n,r)?.getBoundingClientRect();return i&&i.left<=o.left&&i.right>=o.right&&i.top<=o.top&&
i.bottom>=o.bottom||this.grids>=Qa?"covered":(this.grids++,Ee(e,e)?"yes":"covered")}hits(e,o,n){return o<0||n<0||o>=this.
width||n>=this.height?!0:J(e,ut(o,n))}name(e){return b(x(V(e)||""),200)}push(e,o,n,r,i,s=""){let a=r||Ae(e,n);this.pushed=
this.options.dry?"":At(e,n,a),this.read(e,o,n,r,i,s,this.pushed)}read(e,o,n,r,i,s="",a=""){let c="";if(this.options.boxes){
let u=e.getBoundingClientRect();c=[u.x,u.y,u.width,u.height].map(Math.round).join(",")}this.line(o,`${n}	${b(r,Lr)}	${a}\
	${i}	${s}	${c}`)}acted(e,o,n,r,i,s){this.flush();let a=this.name(e),c=Be(e,o,this.active,i,this.off);if(s==="unfocused"?
c.push("shown-on-focus"):(s==="point"||s!=="covered"&&a&&Fo.has(o)&&this.dim(e))&&c.push("hidden"),c.push(s==="covered"?
"covered":"ref"),this.push(e,n,o,a,c.join(" "),Wo(e,o,this.lists)),yr(e)&&this.line(n+1,`invalid	${b(x(e.validationMessage),
Lr)}				`),Me.has(o)&&e.localName!=="div")return;let u=Fo.has(o)&&a?1:0,m=this.naming;u&&(this.naming=this.muted?"":a),this.
muted+=u,(e.firstElementChild||S(e)||!u)&&this.children(e,n+1,r),this.flush(),this.muted-=u,this.naming=m}label(e,o,n){this.
flush(),this.muted++,this.children(e,o,n),this.muted--}image(e,o,n,r){let i=this.naming;if(!this.out&&(!this.muted||i&&!this.
veils)){let s=this.name(e);s&&(!this.muted||!i.includes(s))&&(this.flush(),this.read(e,n,"img",s,""))}e.firstElementChild&&
(this.naming="",this.muted++,this.children(e,n,r),this.muted--,this.naming=i)}container(e,o,n,r,i){let s=this.muted||this.
out,c=!s&&!xr.has(o)||e.hasAttribute("aria-label")?this.name(e):"",u=Be(e,o,this.active,i,this.off).join(" ");if(o==="he\
ading"){!s&&!this.dim(e)&&(this.flush(),this.read(e,n,o,c,u));let F=this.naming;s||(this.naming=c),this.muted++,(e.firstElementChild||
S(e))&&this.children(e,n+1,r),this.muted--,this.naming=F;return}if(s)return this.children(e,n,r);this.flush(),this.push(
e,n,o,c,u,Wo(e,o));let m=this.inside;this.inside=this.pushed,this.children(e,n+1,r),this.inside=m,this.flush()}area(e,o){
if(this.out||!e.hasAttribute("href")||!ke(e))return;let[[n,r]]=Le(e);if(n>=0&&r>=0&&n<this.width&&r<this.height?!J(e,ut(
n,r)):this.options.viewport)return;let s=q(e)||"generic",a=[...Be(e,s,this.active,B(e),this.off),"ref"];this.flush(),this.
push(e,o,s,this.name(e)||Ae(e,s),a.join(" "))}frame(e,o){let n=e.getBoundingClientRect();n.width<2||n.height<2||(this.flush(),
this.slots??=Ir(),this.push(e,o,"iframe",Ne(e),"",this.slots.get(e.contentWindow)??""))}};var Vo=!1,Br=(t,e)=>Dt()?Cr(t,e):re().then(()=>Cr(t,e));function Cr(t,e){if(t.unless&&ic(t.unless))return Mr(t.unless),"\
same";t.next&&ge(t.next),Vo||=!t.dry,t.keep&&!t.dry&&Mr(t.keep),O(),K();let o=document.body||document.documentElement;if(t.
root){let s=wt.get(t.root);if(o=s&&s.element.deref(),!o||!o.isConnected)return"gone";te(o)}kn();let n=Ur(o,t,e);Ln()&&(n=
Ur(o,t,e)),t.dry?Hr(n,()=>{}).watcher.disconnect():(n.boxes&&rc(n),Tr(),Oe(n.suspects));let r=document.scrollingElement||
document.documentElement,i=[me,Z?1:0,yt,oc(),window.length,innerWidth,innerHeight,Math.round(scrollX),Math.round(scrollY),
r?r.scrollWidth:0,r?r.scrollHeight:0,ve.length];return i.push(no(b(x(document.title),200)),no(location.href)),i.join("	")+
`
`+n.lines.join(`
`)}function Ur(t,e,o){let n=new He(e,o);return t&&(n.off=Po(p(t))?1:0),t&&n.element(t,0,""),n.flush(),n}function Mr(t){document.
documentElement?.getBoundingClientRect(),console.timeStamp(t)}var Fr=64;function oc(){let t=parent.length;if(parent===window||
t>Fr)return"";for(let e=0;e<t;e++)if(parent[e]===window)return`${e} ${t}`;return""}function Ir(){let t=new Map,e=Math.min(
window.length,Fr);for(let o=0;o<e;o++)t.set(window[o],o);return t}var nc={childList:!0,attributes:!0,characterData:!0,subtree:!0},
T=null,Pr=t=>t.addEventListener("scroll",We,!0);Pr(document);function Hr(t,e){let o=new MutationObserver(e);for(let s of H)
o.observe(s,nc),Pr(s);let n=[...H],r=n.flatMap(s=>[...s.querySelectorAll("input,select,textarea")]),i=r.map($r);return{word:t.
options.keep,watcher:o,roots:n,fields:r,filled:i,boxes:t.boxes,where:Wr()}}function rc(t){We(),T=Hr(t,We)}function We(){
T&&(T.watcher.disconnect(),T=null)}var Wr=()=>[scrollX,scrollY,innerWidth,innerHeight,devicePixelRatio,location.href,document.
title,j()];function $r(t){if(t.localName==="select")return t.multiple?Array.from(t.options,o=>o.selected).join():t.selectedIndex;
let e=t.files?Array.from(t.files,o=>o.name).join():"";return`${t.checked} ${t.indeterminate} ${e} ${t.value}`}function ic(t){
if(!T||T.word!==t)return!1;let e=sc();return e||We(),e}function sc(){if(T.watcher.takeRecords().length||ac())return!1;let t=Wr();
if(T.where.some((o,n)=>o!==t[n])||T.fields.some((o,n)=>$r(o)!==T.filled[n]))return!1;let{boxes:e}=T;for(let o=0;o<e.length;o+=
2){let n=e[o+1],r=e[o].getBoundingClientRect();if(r.x!==n.x||r.y!==n.y||r.width!==n.width||r.height!==n.height)return!1}
return!0}var ac=()=>T.ownRoles??=T.roots.some(t=>Array.prototype.some.call(t.querySelectorAll("*"),e=>e.localName.includes(
"-")));var Yo={};zo(Yo,{ACTED_ON:()=>$o,FAINT:()=>it,SKIPPED:()=>Ue,USED_ALL:()=>X,USED_FADE:()=>_,WANTS_NAMES:()=>ce,above:()=>p,
activeElement:()=>j,areaPoints:()=>Le,arm:()=>Co,armAround:()=>sr,asked:()=>ct,beginNames:()=>O,checkedHosts:()=>Nt,clip:()=>b,
comesBack:()=>ye,covered:()=>bt,customHost:()=>Or,deepHit:()=>ut,dim:()=>pe,focusText:()=>Bo,frameNumber:()=>Te,freePoint:()=>Ee,
hidesIn:()=>Uo,identity:()=>Tt,isBlank:()=>R,isDisabled:()=>wr,isForm:()=>I,isFrame:()=>Lo,isShown:()=>ke,labelText:()=>ko,
lands:()=>J,masked:()=>Q,meetDocument:()=>K,meetRoot:()=>M,nameOf:()=>V,numberOf:()=>At,numbered:()=>wt,pane:()=>Ht,pointsOf:()=>we,
roleOf:()=>q,rootOf:()=>S,says:()=>De,scrolledOut:()=>Se,scrolls:()=>Oo,space:()=>ot,spokenRole:()=>Io,styleOf:()=>f,suspect:()=>Oe,
tagged:()=>Wt,tidy:()=>x,unreadable:()=>mt,upcomingNumber:()=>_e,usedNow:()=>an,veiled:()=>Ct,watchEffects:()=>Ce,within:()=>Et});var cc=40,uc=8,lc=50,fc={all:!1,boxes:!1,viewport:!1,lists:!1,root:0,most:cc,keep:" ",dry:!0};function Gr(t){if(!Vo){try{
se("walk",[fc])}catch{return}t>1&&requestIdleCallback(()=>Gr(t-1))}}var dc=()=>requestIdleCallback(()=>Gr(uc));document.
readyState!=="complete"&&addEventListener("load",()=>setTimeout(dc,lc),{once:!0});globalThis.ph={...jo,shared:{...Yo}};})();
