// The tree of a page: rows are made when they are needed.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el } = Dehusk;

  /** Rows of one element that are made at once. */
  const TREE_PAGE = 200;

  Object.assign(Dehusk.PageView.prototype, {
    buildTree() {
      this.treeRoot = el("ul", { class: "tree", role: "tree", "aria-label": "Elements and texts of the page" });
      this.children = new Map();
      for (let at = 0; at < this.count; at++) {
        const parent = this.tree.parent[at];
        if (!this.children.has(parent)) this.children.set(parent, []);
        this.children.get(parent).push(at);
      }
      this.appendRows(this.treeRoot, -1, 0);
      // Down to where the page divides.
      let at = this.children.get(-1)?.[0] ?? -1;
      while (at >= 0) {
        this.expand(at);
        const inner = (this.children.get(at) || []).filter((child) => this.nameOf(child) !== "head");
        if (inner.length !== 1) break;
        at = inner[0];
      }
      const first = this.treeRoot.querySelector("li");
      if (first) first.tabIndex = 0;
      this.treeRoot.addEventListener("keydown", (event) => this.onTreeKey(event));
      return el("div", { class: "scroll" }, this.treeRoot);
    },

    appendRows(list, parent, from) {
      const children = this.children.get(parent) || [];
      for (const at of children.slice(from, from + TREE_PAGE)) list.append(this.buildRow(at, children.length));
      if (children.length > from + TREE_PAGE) {
        const more = el("li", { role: "treeitem", tabindex: "-1", class: "more", "aria-label": "Show more" },
          el("div", { class: "row" }, el("span", { class: "twist" }), `… ${Dehusk.number(children.length - from - TREE_PAGE)} more`));
        const show = () => {
          more.remove();
          this.appendRows(list, parent, from + TREE_PAGE);
          this.paintRows();
        };
        more.addEventListener("click", (event) => { event.stopPropagation(); show(); });
        more.showMore = show;
        list.append(more);
      }
    },

    buildRow(at) {
      const hasChildren = this.children.has(at);
      const twist = el("span", { class: "twist", "aria-hidden": "true" }, hasChildren ? "▸" : "");
      const sign = el("span", { class: "sign" });
      const isText = Boolean(this.tree.text[at]);
      const row = el("div", { class: "row" }, twist, sign,
        isText ? null : el("span", { class: "name" }, this.nameOf(at)),
        el("span", { class: "snippet" }, isText ? `“${this.textOf(at, 60)}”` : hasChildren ? this.textOf(at, 40) : ""));
      const item = el("li", { role: "treeitem", tabindex: "-1", "aria-selected": "false", "aria-expanded": hasChildren ? "false" : null }, row);
      item.dataset.at = at;
      row.addEventListener("click", (event) => {
        event.stopPropagation();
        if (event.target === twist && hasChildren) this.toggle(at);
        else this.select(at, { from: "tree" });
      });
      this.rows.set(at, { item, sign, twist });
      return item;
    },

    expand(at) {
      const row = this.rows.get(at);
      if (!row || !this.children.has(at) || row.item.getAttribute("aria-expanded") === "true") return;
      row.item.setAttribute("aria-expanded", "true");
      row.twist.textContent = "▾";
      let list = row.item.querySelector(":scope > ul");
      if (!list) {
        list = el("ul", { role: "group" });
        row.item.append(list);
        this.appendRows(list, at, 0);
        this.paintRows(this.children.get(at));
      }
      list.hidden = false;
    },

    collapse(at) {
      const row = this.rows.get(at);
      if (!row || row.item.getAttribute("aria-expanded") !== "true") return;
      row.item.setAttribute("aria-expanded", "false");
      row.twist.textContent = "▸";
      row.item.querySelector(":scope > ul").hidden = true;
    },

    toggle(at) {
      if (this.rows.get(at).item.getAttribute("aria-expanded") === "true") this.collapse(at);
      else this.expand(at);
    },

    paintRows(only) {
      for (const at of only || this.rows.keys()) {
        const row = this.rows.get(at);
        // While the view is built, nothing is decided.
        if (!row || !this.decisions) continue;
        const state = this.decisions[at] ? "drop" : this.isPart(at) ? "part" : "keep";
        if (row.state !== state || row.corrected !== this.corrections.get(at)) {
          row.state = state;
          row.corrected = this.corrections.get(at);
          row.item.className = `is-${state}${row.corrected ? " is-corrected" : ""}`;
          row.sign.textContent = state === "drop" ? "✗" : state === "part" ? "◐" : "✓";
          row.sign.title = state === "drop" ? "dropped" : state === "part" ? "kept in part" : "kept";
          row.sign.setAttribute("aria-label", row.sign.title);
          row.sign.setAttribute("role", "img");
        }
      }
    },

    /** Builds the rows of a long list up to a node. */
    showRow(at) {
      while (!this.rows.has(at)) {
        const parent = this.tree.parent[at];
        const list = parent < 0 ? this.treeRoot : this.rows.get(parent)?.item.querySelector(":scope > ul");
        const more = list && list.querySelector(":scope > .more");
        if (!more) return;
        more.showMore();
      }
    },

    onTreeKey(event) {
      const item = event.target.closest("[role=treeitem]");
      if (!item || Dehusk.isTyping(event)) return;
      const items = [...this.treeRoot.querySelectorAll("[role=treeitem]")].filter((one) => !one.closest("ul[hidden]"));
      const place = items.indexOf(item);
      const at = item.dataset.at === undefined ? -1 : Number(item.dataset.at);
      const go = (to) => {
        if (!to) return;
        if (to.dataset.at === undefined) {
          to.focus();
        } else {
          this.select(Number(to.dataset.at), { from: "keys" });
        }
      };
      const expanded = item.getAttribute("aria-expanded");
      switch (event.key) {
        case "ArrowDown": go(items[place + 1]); break;
        case "ArrowUp": go(items[place - 1]); break;
        case "Home": go(items[0]); break;
        case "End": go(items[items.length - 1]); break;
        case "ArrowRight":
          if (expanded === "false") this.expand(at);
          else if (expanded === "true") go(items[place + 1]);
          break;
        case "ArrowLeft":
          if (expanded === "true") this.collapse(at);
          else go(item.parentElement.closest("[role=treeitem]"));
          break;
        case "Enter":
        case " ":
          if (at < 0) item.showMore();
          else this.select(at, { from: "tree" });
          break;
        default: return;
      }
      event.preventDefault();
      event.stopPropagation();
    },
  });
})();
