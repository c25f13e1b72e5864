function(...given){let exported;
(()=>{function l(e){return e==="session"?sessionStorage:localStorage}function c(e){let s=[];for(let r=0;r<e.length;r++){let n=e.
key(r)??"";s.push([n,e.getItem(n)??""])}return s}function g(e){sessionStorage.clear();for(let[s,r]of e)sessionStorage.setItem(
s,r);return sessionStorage.clear(),e.length}function f(e,s){let r=c(e);try{e.clear();for(let[n,t]of s)e.setItem(n,t)}catch(n){
e.clear();for(let[t,o]of r)e.setItem(t,o);throw n}return s.length}var a=(e,s,r,n)=>{try{let t=l(e);switch(s){case"list":
return{value:JSON.stringify(c(t))};case"get":return{value:t.getItem(r)};case"set":return t.setItem(r,n),{value:t.getItem(
r)};case"remove":{let o=t.getItem(r)!==null;return t.removeItem(r),{value:o}}case"clear":{let o=t.length;return t.clear(),
{value:o}}case"rehearse":return{value:g(JSON.parse(n))};case"replace":return{value:f(t,JSON.parse(n))}}return{refused:`n\
o action ${s}`}}catch(t){let{name:o,message:u}=t;return{refused:`${o}: ${u}`}}};exported=a;})();
return exported(...given)}
