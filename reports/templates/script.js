(function(){
"use strict";
var each=function(s,f,r){Array.prototype.forEach.call((r||document).querySelectorAll(s),f)};
/* open every <details> for printing, then put them back */
var closed=[];
addEventListener("beforeprint",function(){each("details:not([open])",function(d){closed.push(d);d.open=true})});
addEventListener("afterprint",function(){closed.forEach(function(d){d.open=false});closed=[]});
/* sortable tables: the page is complete without this */
each("table[data-sort]",function(t){
  var heads=t.tHead.rows[0].cells,body=t.tBodies[0];
  Array.prototype.forEach.call(heads,function(th,k){
    if(th.hasAttribute("data-nosort"))return;
    var b=document.createElement("button");b.type="button";b.innerHTML=th.innerHTML;th.textContent="";th.appendChild(b);
    b.addEventListener("click",function(){
      var text=!Array.prototype.some.call(body.rows,function(r){return r.cells[k].hasAttribute("data-v")}),was=th.getAttribute("aria-sort");
      var up=was?was==="descending":text;
      Array.prototype.forEach.call(heads,function(h){h.removeAttribute("aria-sort")});
      th.setAttribute("aria-sort",up?"ascending":"descending");
      var key=function(r){var c=r.cells[k],v=c.getAttribute("data-v");return text?c.textContent.trim():v===null?(up?Infinity:-Infinity):parseFloat(v)};
      var rows=Array.prototype.slice.call(body.rows);
      rows.sort(function(a,b){var x=key(a),y=key(b);var d=x<y?-1:x>y?1:0;return up?d:-d});
      rows.forEach(function(r){body.appendChild(r)});
    });
  });
  var box=document.querySelector('[data-filter="'+t.id+'"]');
  if(box){box.hidden=false;var inp=box.querySelector("input"),out=box.querySelector("output");
    inp.addEventListener("input",function(){var q=inp.value.toLowerCase(),n=0;
      Array.prototype.forEach.call(body.rows,function(r){var show=r.textContent.toLowerCase().indexOf(q)>=0;r.hidden=!show;if(show)n++});
      out.textContent=q?n+" of "+body.rows.length:""})}
});
})();
