function(...given){let exported;
(()=>{function p(a,m){let d=new Set,c=m,f=0,b=r=>Object.prototype.toString.call(r).slice(8,-1),l=(r,t)=>r.length>t?r.slice(0,t)+
"…":r,o=(r,t,e)=>{let n={type:r,description:l(String(t),300)};return c-=n.description.length+30,e!==void 0&&(n.preview=
e),n},S=r=>{if(r.nodeType===3)return`"${l(r.data.trim(),60)}"`;if(r.nodeType!==1)return r.nodeName;let t=r.id&&typeof r.
id=="string"?"#"+r.id:"",e=[...r.classList].map(n=>"."+n).join("");return r.localName+t+e},w=r=>{let t=Math.max(0,c);return c-=
r.length+2,r.length<=t?r:(f+=r.length-t,r.slice(0,t)+"…")},u=(r,t)=>{let e=[];for(let n of r){if(c<=0){f++;continue}c--,
e.push(y(n,t+1))}return e},g=(r,t,e)=>{let n={};for(let s of t){if(c<=0){f++;continue}let i;try{i=r[s]}catch(D){i=D}if(i===
void 0)continue;c-=s.length+4;let h=y(i,e+1);s==="__proto__"?Object.defineProperty(n,s,{value:h,enumerable:!0}):n[s]=h}return n},
E=(r,t,e)=>{let n=[];for(let s in r){if(n.length>=100)break;let i;try{i=typeof r[s]}catch{continue}(i==="string"||i==="n\
umber"||i==="boolean")&&n.push(s)}return o("object",t,g(r,n,e))},N=(r,t,e)=>{switch(t){case"Date":return o("date",isNaN(
r)?"Invalid Date":r.toISOString());case"RegExp":return o("regexp",r);case"Error":case"DOMException":return o("error",r.stack||
`${r.name}: ${r.message}`);case"Map":return o("map",`Map(${r.size})`,u(r,e));case"Set":return o("set",`Set(${r.size})`,u(
r,e));case"Promise":case"WeakMap":case"WeakSet":case"WeakRef":case"Proxy":case"Generator":return o(t.toLowerCase(),t);case"\
Window":return o("window","Window");case"ArrayBuffer":return o("arraybuffer",`ArrayBuffer(${r.byteLength})`)}if(ArrayBuffer.
isView(r)){let n=t==="DataView"?[]:[...r.slice(0,50)].map(Number);return o("typedarray",`${t}(${r.byteLength})`,n)}return null},
$=r=>typeof r.nodeType=="number"&&typeof r.nodeName=="string",O=(r,t)=>{let e=b(r);if(t>30)return o("object",`${e}, deep\
er than 30 levels`);if(e!=="Object"&&$(r))return o("node",S(r));let n=N(r,e,t);if(n)return n;if(Array.isArray(r))return u(
r,t);if(e==="NodeList"||e==="HTMLCollection")return u([...r],t);if(typeof r.toJSON=="function")return y(r.toJSON(),t+1);
let s=Object.keys(r);return e==="Object"||e==="Arguments"||e==="Module"||s.length?g(r,s,t):E(r,e,t)},y=(r,t)=>{switch(typeof r){case"\
string":return w(r);case"boolean":return r;case"number":return Object.is(r,-0)?o("number","-0"):Number.isFinite(r)?r:o("\
number",r);case"undefined":return null;case"bigint":return o("bigint",r+"n");case"symbol":return o("symbol",r.toString());case"\
function":return o("function",l(Function.prototype.toString.call(r),200))}if(r===null)return null;if(d.has(r))return o("\
circular","an object that holds this one");d.add(r);try{return O(r,t)}catch(e){return o("object",`it cannot be read: ${e}`)}finally{
d.delete(r)}},k=a===null?"null":Array.isArray(a)?"array":typeof a,A=y(a,0);return{type:k,value:A,cut:f,truthy:!!a}}exported=p;})();
return exported(...given)}
