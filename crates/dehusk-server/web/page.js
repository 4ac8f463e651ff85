// The view of one page: the page as it looks, its tree, why each part is kept or dropped, and the content that results.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill, announce } = Dehusk;

  /** Why something is dropped, in a few groups that have a colour each. */
  const GROUPS = {
    site: { label: "on other pages of the site", colour: "#2f6fd0", names: ["repeated", "in_template", "aligned"] },
    model: { label: "a model's score", colour: "#c2620a", names: ["scored", "section", "in_segment"] },
    copy: { label: "said elsewhere on the page", colour: "#7a4fc0", names: ["copy_of"] },
    comment: { label: "comment of a reader", colour: "#12807a", names: ["reader_comment"] },
    hand: { label: "decided by hand", colour: "#c01f5d", names: ["corrected"] },
    rest: { label: "goes with what is dropped", colour: "#6b7280", names: [] },
  };
  const groupOf = (name) => Object.keys(GROUPS).find((group) => GROUPS[group].names.includes(name)) || "rest";

  const ROLES = {
    main: "#1a6b34", navigation: "#2f6fd0", header: "#7a4fc0", footer: "#6b7280", sidebar: "#c2620a",
    advertisement: "#c01f5d", form: "#12807a", comments: "#8a6d00",
  };

  /** What the frame shows beside the page's own styles. */
  const FRAME_STYLE = [
    "[data-dh-drop]{opacity:.34!important;filter:saturate(.4)!important}",
    "[data-dh-drop]:hover{opacity:.34!important}",
    ...Object.keys(GROUPS).map((group) =>
      `[data-dh-drop=${group}]{box-shadow:inset 0 0 0 200vmax ${GROUPS[group].colour}22!important;outline:1px solid ${GROUPS[group].colour}!important;outline-offset:-1px!important}`),
    "[data-dh-only]{opacity:1!important;filter:none!important;outline:3px solid #c01f5d!important;outline-offset:-3px!important}",
    "[data-dh-only=second]{outline-style:dashed!important;outline-color:#2f6fd0!important}",
    "html{overflow:hidden!important}*{animation:none!important;transition:none!important;scroll-behavior:auto!important}",
  ].join("");

  /** Elements whose text is one line of the comparison. */
  const INLINE = new Set(("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small " +
    "span strike strong sub sup time tt u var wbr").split(" "));
  const TREE_PAGE = 200;
  const MAX_COMPARED = 400;

  class PageView {
    constructor(container, data, live) {
      this.container = container;
      this.data = data;
      this.live = live;
      this.tree = data.tree;
      this.count = data.tree.id.length;
      this.detector = data.detectors[0];
      this.second = null;
      this.step = data.step;
      this.selected = -1;
      this.output = "markdown";
      this.corrections = new Map();
      this.corrected = null;
      this.indexOf = new Map(this.tree.id.map((id, index) => [id, index]));
      this.subtreeEnd = this.findEnds();
      this.roots = new Map();
      this.rows = new Map();
      this.elements = new Map();
      this.cleanups = [];
      for (const { node, decision } of data.corrections || []) {
        if (this.indexOf.has(node)) this.corrections.set(this.indexOf.get(node), decision);
      }
      this.saved = this.correctionList().length > 0;
      this.decisions = this.decide(this.detector);
      this.build();
    }

    /** For each node the index after its last descendant. */
    findEnds() {
      const { parent } = this.tree;
      const ends = new Int32Array(this.count);
      for (let at = this.count - 1; at >= 0; at--) {
        if (ends[at] === 0) ends[at] = at + 1;
        if (parent[at] >= 0) ends[parent[at]] = Math.max(ends[parent[at]], ends[at]);
      }
      return ends;
    }

    /** For each node whether a detector drops it: 1 or 0. */
    decide(detector) {
      const bit = 1 << this.step;
      const decisions = new Uint8Array(this.count);
      for (let at = 0; at < this.count; at++) decisions[at] = detector.keep[at] & bit ? 0 : 1;
      if (detector === this.detector) {
        for (const [at, decision] of this.corrections) {
          decisions.fill(decision === "drop" ? 1 : 0, at, this.subtreeEnd[at]);
          for (let up = this.tree.parent[at]; decision === "keep" && up >= 0; up = this.tree.parent[up]) decisions[up] = 0;
        }
      }
      return decisions;
    }

    reason(detector, at) {
      return detector.reasons[detector.reason[at]];
    }

    /** The group of reasons that a dropped node is coloured by. */
    groupAt(at) {
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        if (this.corrections.has(up)) return "hand";
      }
      const reason = this.reason(this.detector, at);
      // A reason of another focus: what is dropped only here is dropped for its score.
      if (reason.name === "no_evidence" || reason.name === "part_of") return "model";
      return groupOf(reason.name);
    }

    isPart(at) {
      if (this.decisions[at]) return false;
      for (let inner = at + 1; inner < this.subtreeEnd[at]; inner++) {
        if (this.decisions[inner]) return true;
      }
      return false;
    }

    nameOf(at) {
      return this.data.strings[this.tree.name[at]] || "text";
    }

    textOf(at, length) {
      let text = "";
      for (let inner = at; inner < this.subtreeEnd[at] && text.length < length; inner++) {
        if (this.tree.text[inner]) text += (text ? " " : "") + this.tree.text[inner];
      }
      return text.length > length ? `${text.slice(0, length)}…` : text;
    }

    path(column, at) {
      const steps = [];
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        const step = this.data.strings[this.tree[column][up]];
        if (step) steps.push(step);
        if (column === "css" && step.startsWith("#")) break;
      }
      return steps.reverse().join(column === "css" ? " > " : "");
    }

    // Building

    build() {
      const { data } = this;
      this.panes = {};
      const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the view" });
      const panes = el("main", { class: "panes" });
      const pane = (key, label, ...children) => {
        const heading = el("h2", { id: `heading-${key}` }, label);
        const section = el("section", { class: "pane", id: `pane-${key}`, "aria-labelledby": `heading-${key}` }, heading, children);
        const tab = el("button", {
          type: "button", role: "tab", "aria-controls": `pane-${key}`, "aria-selected": "false", onclick: () => this.openPane(key),
        }, label);
        this.panes[key] = { section, tab };
        tabs.append(tab);
        panes.append(section);
      };
      pane("tree", "Tree", this.buildTree());
      pane("page", "Page", this.buildLegend(), this.buildFrame());
      pane("side", "Part and content", this.buildDetails(), this.buildOutput());
      tabs.addEventListener("keydown", (event) => this.moveTab(event, tabs));
      const view = el("div", { class: "page-view" }, this.buildHead(), this.buildFacts(), this.buildToolbar(), tabs, panes);
      fill(this.container, view);
      this.openPane("page");
      const onKey = (event) => this.onKey(event);
      document.addEventListener("keydown", onKey);
      this.cleanups.push(() => document.removeEventListener("keydown", onKey));
      const onResize = () => this.fitFrame();
      window.addEventListener("resize", onResize);
      this.cleanups.push(() => window.removeEventListener("resize", onResize));
      document.title = `${data.title || data.name || "Page"} – Dehusk`;
      this.showDetails();
      this.refresh();
    }

    close() {
      this.cleanups.forEach((cleanup) => cleanup());
    }

    buildHead() {
      const { data } = this;
      const address = data.url || data.name || "";
      return el("header", { class: "page-head" },
        this.live && this.live.pages > 1 ? el("a", { href: "#/" }, "All pages") : null,
        this.live && this.live.pages > 1 && data.site_name
          ? el("a", { href: `#/site/${encodeURIComponent(data.site_name)}` }, "Site") : null,
        el("h1", {}, data.title || "Page without title"),
        el("span", { class: "address", title: address }, address));
    }

    buildFacts() {
      const { data } = this;
      const badge = (text, kind, title) => el("span", { class: `badge ${kind || ""}`, title }, text);
      const facts = [];
      if (typeof data.confidence === "number") {
        facts.push(badge(`confidence ${data.confidence.toFixed(2)}`, data.confidence < 0.5 ? "warn" : "", "estimated F1 of the result"));
      }
      if (data.page_type) facts.push(badge(`looks like: ${data.page_type}`));
      if (data.site) {
        facts.push(badge(`site learned from ${Dehusk.plural(data.site.pages, "page")}`, "", `method ${data.site.method}`));
        const fit = data.template_fit;
        if (fit && fit.template !== null) facts.push(badge(`template ${fit.template} fits ${fit.fit.toFixed(2)}`));
        else if (fit) facts.push(badge(`no template fits (nearest ${fit.fit.toFixed(2)})`, "warn"));
      }
      facts.push(badge(`${Dehusk.number(data.nodes)} nodes`), badge(data.encoding));
      for (const flag of data.flags) facts.push(badge(flag, "warn"));
      if (data.fallback) facts.push(badge("the content is not from the visible text", "warn"));
      if (data.nodes_cut) facts.push(badge("too large: the tree is cut and the page is not shown", "warn"));
      return el("div", { class: "facts" }, facts);
    }

    buildToolbar() {
      const { data } = this;
      const option = (value, label, selected) => el("option", { value, selected }, label);
      const detector = el("select", {
        onchange: (event) => {
          this.detector = data.detectors[Number(event.target.value)];
          this.slider.disabled = !this.detector.follows_focus;
          this.askForContent();
          this.refresh();
          this.showDetails();
        },
      }, data.detectors.map((one, at) => option(at, one.name, at === 0)));
      const compare = el("select", {
        onchange: (event) => {
          this.second = event.target.value === "" ? null : data.detectors[Number(event.target.value)];
          this.showDifferences();
          if (this.second) this.openOutput("compare");
        },
      }, option("", "nothing", true), data.detectors.map((one, at) => option(at, one.name)));
      this.slider = el("input", {
        type: "range", min: 0, max: data.steps.length - 1, step: 1, value: this.step, disabled: !this.detector.follows_focus,
        "aria-valuetext": this.focusText(), list: null,
        oninput: (event) => this.setStep(Number(event.target.value)),
      });
      this.sliderOutput = el("output", {}, data.steps[this.step].toFixed(2));
      const methods = ["best", "gcuts", "cclus"].filter((name) => this.live || (data.segments || []).some((found) => found.method === name));
      const segments = el("select", { onchange: (event) => this.showSegments(event.target.value) },
        option("", "none", true), methods.map((name) => option(name, name)));
      const bar = [
        el("label", {}, "Detector", detector),
        el("label", { class: "wide" }, "Focus", this.slider, this.sliderOutput),
        el("label", {}, "Compare with", compare),
        el("label", {}, "Segments", segments),
      ];
      if (this.live) {
        bar.push(el("button", {
          type: "button", "aria-pressed": String(this.live.network),
          title: "Style sheets and pictures of the page are fetched from its site",
          onclick: () => this.live.setNetwork(!this.live.network),
        }, this.live.network ? "Network: on" : "Network: off"));
        this.saveButton = el("button", { type: "button", onclick: () => this.save(), disabled: true }, "Save corrections");
        bar.push(this.saveButton);
        if (this.live.pages > 1 && !data.methods_compared) {
          bar.push(el("button", { type: "button", title: "Learn the site of this page with every method and compare them",
            onclick: (event) => { event.currentTarget.disabled = true; event.currentTarget.textContent = "Learning…"; this.live.compareMethods(); } },
          "Compare site methods"));
        }
      }
      bar.push(Dehusk.themeButton(), el("button", { type: "button", onclick: () => this.showHelp() }, "Keys"));
      return el("div", { class: "toolbar", role: "group", "aria-label": "Settings" }, bar);
    }

    buildLegend() {
      const items = Object.values(GROUPS).map((group) => {
        const item = el("span", {}, group.label);
        item.style.setProperty("--swatch", group.colour);
        return item;
      });
      return el("div", { class: "legend", role: "note", "aria-label": "Why parts are dropped" }, "Dimmed is dropped:", items);
    }

    buildFrame() {
      const { data } = this;
      if (!data.frame) return el("p", { class: "message" }, "The page is too large to be shown. Its content is beside it.");
      this.frame = el("iframe", { sandbox: "allow-same-origin", title: "The page, which cannot run or load anything", tabindex: "-1", inert: true });
      this.overlay = el("div", { class: "overlay", "aria-hidden": "true" });
      this.hoverBox = el("div", { class: "box hover", hidden: true });
      this.selectBoxes = el("div");
      this.segmentBoxes = el("div");
      this.overlay.append(this.segmentBoxes, this.selectBoxes, this.hoverBox);
      this.overlay.addEventListener("pointermove", (event) => this.onHover(event));
      this.overlay.addEventListener("pointerleave", () => { this.hoverBox.hidden = true; });
      this.overlay.addEventListener("click", (event) => {
        const at = this.nodeAt(event);
        if (at >= 0) this.select(at, { from: "page" });
      });
      this.sizer = el("div", { class: "frame-sizer" }, this.frame, this.overlay);
      this.frameScroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The page as it looks" }, this.sizer);
      this.frame.addEventListener("load", () => this.onFrameLoaded());
      this.frame.srcdoc = data.frame;
      return this.frameScroll;
    }

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
    }

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
    }

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
    }

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
    }

    collapse(at) {
      const row = this.rows.get(at);
      if (!row || row.item.getAttribute("aria-expanded") !== "true") return;
      row.item.setAttribute("aria-expanded", "false");
      row.twist.textContent = "▸";
      row.item.querySelector(":scope > ul").hidden = true;
    }

    toggle(at) {
      if (this.rows.get(at).item.getAttribute("aria-expanded") === "true") this.collapse(at);
      else this.expand(at);
    }

    buildDetails() {
      this.details = el("div", { class: "details", role: "region", "aria-label": "The selected part", tabindex: "0" });
      return this.details;
    }

    buildOutput() {
      const tab = (key, label) => el("button", {
        type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "output", "aria-selected": "false", onclick: () => this.openOutput(key),
      }, label);
      this.outputTabs = { markdown: tab("markdown", "Markdown"), text: tab("text", "Text"), compare: tab("compare", "Compare") };
      this.outputNote = el("span", { class: "muted" });
      const list = el("div", { role: "tablist", "aria-label": "The content" }, Object.values(this.outputTabs));
      list.addEventListener("keydown", (event) => this.moveTab(event, list));
      this.outputBody = el("div", { class: "scroll", id: "output", role: "tabpanel", tabindex: "0", "aria-labelledby": "tab-markdown" });
      this.content = el("pre", { class: "content" });
      return [
        el("div", { class: "output-bar" }, list, Dehusk.copyButton(() => this.contentText(), "the content"), this.outputNote),
        this.outputBody,
      ];
    }

    moveTab(event, list) {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const tabs = [...list.querySelectorAll("[role=tab]")];
      const next = tabs[(tabs.indexOf(document.activeElement) + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
      next.focus();
      next.click();
      event.preventDefault();
    }

    openPane(key) {
      for (const [name, { section, tab }] of Object.entries(this.panes)) {
        section.classList.toggle("is-open", name === key);
        tab.setAttribute("aria-selected", String(name === key));
        tab.tabIndex = name === key ? 0 : -1;
      }
      this.fitFrame();
    }

    openOutput(key) {
      this.output = key;
      this.showContent();
    }

    // Showing

    /** Shows the decisions at this focus everywhere. */
    refresh() {
      this.decisions = this.decide(this.detector);
      this.paintFrame();
      this.paintRows();
      this.showContent();
      if (this.second) this.showDifferences();
      if (this.saveButton) {
        const count = this.corrections.size;
        this.saveButton.disabled = count === 0 && !this.saved;
        this.saveButton.textContent = count === 0 ? "Save corrections" : `Save ${Dehusk.plural(count, "correction")}`;
      }
    }

    focusText() {
      const focus = this.data.steps[this.step];
      const name = focus < 0.5 ? "towards precision" : focus > 0.5 ? "towards recall" : "balanced";
      return `${focus.toFixed(2)}, ${name}`;
    }

    setStep(step) {
      this.step = Math.max(0, Math.min(this.data.steps.length - 1, step));
      this.slider.value = this.step;
      this.slider.setAttribute("aria-valuetext", this.focusText());
      this.sliderOutput.textContent = this.data.steps[this.step].toFixed(2);
      this.refresh();
      if (this.selected >= 0) this.showDetails();
      if (this.corrections.size > 0) this.askForContent();
    }

    droppedRoots() {
      const roots = new Map();
      for (let at = 0; at < this.count;) {
        if (this.decisions[at]) {
          roots.set(at, this.groupAt(at));
          at = this.subtreeEnd[at];
        } else {
          at++;
        }
      }
      return roots;
    }

    /** Marks what is dropped in the page. Only what changed is touched. */
    paintFrame() {
      if (this.elements.size === 0) return;
      const roots = this.droppedRoots();
      const each = (at, act) => (this.elements.get(this.tree.id[at]) || []).forEach(act);
      for (const [at] of this.roots) {
        if (!roots.has(at)) each(at, (element) => element.removeAttribute("data-dh-drop"));
      }
      for (const [at, group] of roots) {
        if (this.roots.get(at) !== group) each(at, (element) => element.setAttribute("data-dh-drop", group));
      }
      this.roots = roots;
    }

    paintRows(only) {
      for (const at of only || this.rows.keys()) {
        const row = this.rows.get(at);
        if (!row) continue;
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
    }

    contentText() {
      const format = this.output === "text" ? "text" : "markdown";
      if (this.corrected && this.corrections.size > 0) return this.corrected[format];
      const { parts, steps } = this.detector[format];
      return steps[Math.min(this.step, steps.length - 1)].map((part) => parts[part]).join("\n\n");
    }

    showContent() {
      for (const [key, tab] of Object.entries(this.outputTabs)) {
        tab.setAttribute("aria-selected", String(key === this.output));
        tab.tabIndex = key === this.output ? 0 : -1;
      }
      this.outputBody.setAttribute("aria-labelledby", `tab-${this.output}`);
      if (this.output === "compare") {
        this.outputNote.textContent = "";
        fill(this.outputBody, this.buildComparison());
        return;
      }
      const text = this.contentText();
      if (this.content.parentNode !== this.outputBody) fill(this.outputBody, this.content);
      if (this.content.textContent !== text) this.content.textContent = text;
      const at = Math.min(this.step, this.detector.dropped.length - 1);
      this.outputNote.textContent = this.corrections.size > 0
        ? (this.corrected ? "with your corrections" : "…")
        : `${Dehusk.percent(this.detector.dropped[at])} of the text dropped`;
    }

    /** Texts by block, and what each detector does with them. */
    blocks() {
      if (this.blockList) return this.blockList;
      const blocks = [];
      let last = -1;
      for (let at = 0; at < this.count; at++) {
        if (!this.tree.text[at]) continue;
        let up = this.tree.parent[at];
        while (up >= 0 && INLINE.has(this.nameOf(up).split(/[#.]/)[0])) up = this.tree.parent[up];
        if (up !== last || up < 0) blocks.push({ at: up >= 0 ? up : at, texts: [] });
        last = up;
        blocks[blocks.length - 1].texts.push(at);
      }
      this.blockList = blocks.filter((block) => !this.isInHead(block.at));
      return this.blockList;
    }

    isInHead(at) {
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        if (this.nameOf(up) === "head") return true;
      }
      return false;
    }

    buildComparison() {
      const all = this.data.detectors;
      const bit = 1 << this.step;
      const kept = (detector, block) => block.texts.filter((at) => detector.keep[at] & bit).length;
      const differs = (block) => {
        const first = kept(all[0], block);
        return all.some((detector) => kept(detector, block) !== first);
      };
      const blocks = this.blocks();
      const shown = this.compareAll ? blocks : blocks.filter(differs);
      const box = el("input", { type: "checkbox", onchange: (event) => { this.compareAll = event.target.checked; this.showContent(); } });
      box.checked = Boolean(this.compareAll);
      const mark = (detector, block) => {
        const count = kept(detector, block);
        const [sign, word] = count === 0 ? ["✗", "dropped"] : count === block.texts.length ? ["✓", "kept"] : ["◐", "in part"];
        const kind = count === 0 ? "decision-drop" : "decision-keep";
        return el("td", { class: `mark ${kind}` }, el("span", { role: "img", "aria-label": word, title: word }, sign));
      };
      const row = (block) => el("tr", {},
        el("td", { class: "text" }, el("button", { type: "button", onclick: () => this.select(block.at, { from: "compare" }) },
          block.texts.map((at) => this.tree.text[at]).join(" ").slice(0, 90) || this.nameOf(block.at))),
        all.map((detector) => mark(detector, block)));
      const note = shown.length > MAX_COMPARED ? ` Only the first ${MAX_COMPARED} are shown.` : "";
      return [
        el("p", { style: { padding: "0 .75rem" } },
          `The detectors differ on ${Dehusk.number(blocks.filter(differs).length)} of ${Dehusk.plural(blocks.length, "text")}.${note} `,
          el("label", {}, box, " Show all")),
        el("table", { class: "compare" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Text"), all.map((one) => el("th", { scope: "col" }, one.name)))),
          el("tbody", {}, shown.slice(0, MAX_COMPARED).map(row))),
      ];
    }

    /** Outlines in the page what only one of two detectors keeps. */
    showDifferences() {
      for (const elements of this.elements.values()) {
        elements.forEach((element) => { if (element.hasAttribute("data-dh-only")) element.removeAttribute("data-dh-only"); });
      }
      if (!this.second) return;
      const other = this.decide(this.second);
      for (let at = 0; at < this.count; at++) {
        const difference = this.decisions[at] - other[at];
        const parent = this.tree.parent[at];
        if (difference === 0 || (parent >= 0 && this.decisions[parent] - other[parent] === difference)) continue;
        (this.elements.get(this.tree.id[at]) || []).forEach((element) =>
          element.setAttribute("data-dh-only", difference < 0 ? "first" : "second"));
      }
    }

    async showSegments(method) {
      this.segmentMethod = method;
      if (method && !(this.data.segments || []).some((found) => found.method === method)) {
        try {
          const found = await Dehusk.api(`page/${this.data.number}/segments?method=${method}`);
          this.data.segments = [...(this.data.segments || []), found];
        } catch (error) {
          announce(error.message);
          return;
        }
      }
      this.drawSegments();
    }

    drawSegments() {
      if (!this.segmentBoxes) return;
      const found = (this.data.segments || []).find((one) => one.method === this.segmentMethod);
      if (!found) return fill(this.segmentBoxes);
      const boxes = [];
      found.segments.forEach((segment, number) => {
        const rect = this.rectOf(segment.nodes.flatMap((id) => this.elements.get(id) || []));
        if (!rect) return;
        const label = `${segment.role}${number === found.main ? " (main)" : ""}`;
        const box = el("div", { class: "box segment" }, el("span", {}, label));
        box.style.setProperty("--swatch", ROLES[segment.role] || "#6b7280");
        this.place(box, rect);
        boxes.push(box);
      });
      fill(this.segmentBoxes, boxes);
      announce(`${Dehusk.plural(found.segments.length, "segment")}`);
    }

    // The frame

    onFrameLoaded() {
      const page = this.frame.contentDocument;
      if (!page) return;
      const style = page.createElement("style");
      style.textContent = FRAME_STYLE;
      (page.head || page.documentElement).append(style);
      this.elements.clear();
      for (const element of page.querySelectorAll("[data-dh]")) {
        const id = Number(element.getAttribute("data-dh"));
        if (this.elements.has(id)) this.elements.get(id).push(element);
        else this.elements.set(id, [element]);
      }
      this.roots = new Map();
      this.paintFrame();
      this.fitFrame();
      // Pictures and fonts change the height.
      setTimeout(() => this.fitFrame(), 300);
      this.container.dataset.ready = "true";
    }

    fitFrame() {
      const page = this.frame && this.frame.contentDocument;
      if (!page || !page.documentElement || this.frameScroll.clientWidth === 0) return;
      // An element as tall as the window would grow with it.
      this.frame.style.height = "800px";
      this.frame.style.width = "100%";
      const width = page.documentElement.scrollWidth;
      if (width > this.frameScroll.clientWidth + 1) this.frame.style.width = `${Math.min(width, 4000)}px`;
      this.sizer.style.width = this.frame.style.width;
      const height = Math.max(page.documentElement.scrollHeight, page.body ? page.body.scrollHeight : 0, 400);
      this.frame.style.height = `${Math.min(height, 60000)}px`;
      this.drawSelection();
      this.drawSegments();
    }

    rectOf(elements) {
      let rect = null;
      for (const element of elements) {
        const own = element.getBoundingClientRect();
        if (own.width === 0 && own.height === 0) continue;
        rect = rect === null ? { left: own.left, top: own.top, right: own.right, bottom: own.bottom } : {
          left: Math.min(rect.left, own.left), top: Math.min(rect.top, own.top),
          right: Math.max(rect.right, own.right), bottom: Math.max(rect.bottom, own.bottom),
        };
      }
      return rect;
    }

    place(box, rect) {
      Object.assign(box.style, {
        left: `${rect.left}px`, top: `${rect.top}px`, width: `${rect.right - rect.left}px`, height: `${rect.bottom - rect.top}px`,
      });
    }

    /** The elements of a node, or of the nearest ancestor that has one. */
    elementsOf(at) {
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        const found = this.elements.get(this.tree.id[up]);
        if (found) return found;
      }
      return [];
    }

    nodeAt(event) {
      const page = this.frame.contentDocument;
      const bounds = this.overlay.getBoundingClientRect();
      let element = page && page.elementFromPoint(event.clientX - bounds.left, event.clientY - bounds.top);
      while (element && !element.hasAttribute("data-dh")) element = element.parentElement;
      return element ? this.indexOf.get(Number(element.getAttribute("data-dh"))) ?? -1 : -1;
    }

    onHover(event) {
      const at = this.nodeAt(event);
      const rect = at < 0 ? null : this.rectOf(this.elementsOf(at));
      this.hoverBox.hidden = !rect;
      if (rect) {
        this.place(this.hoverBox, rect);
        const state = this.decisions[at] ? "dropped" : "kept";
        this.overlay.title = `${this.nameOf(at)}: ${state}, score ${this.detector.score[at].toFixed(2)}`;
      }
    }

    drawSelection() {
      if (!this.selectBoxes) return;
      const rect = this.selected < 0 ? null : this.rectOf(this.elementsOf(this.selected));
      if (!rect) return fill(this.selectBoxes);
      const box = el("div", { class: "box selected" });
      this.place(box, rect);
      fill(this.selectBoxes, box);
      return rect;
    }

    // Selecting

    select(at, { from } = {}) {
      const before = this.rows.get(this.selected);
      if (before) before.item.setAttribute("aria-selected", "false");
      this.selected = at;
      const up = [];
      for (let parent = this.tree.parent[at]; parent >= 0; parent = this.tree.parent[parent]) up.unshift(parent);
      for (const parent of up) {
        this.showRow(parent);
        this.expand(parent);
      }
      this.showRow(at);
      const row = this.rows.get(at);
      if (row) {
        row.item.setAttribute("aria-selected", "true");
        this.treeRoot.querySelectorAll("[tabindex='0']").forEach((item) => { item.tabIndex = -1; });
        row.item.tabIndex = 0;
        row.item.querySelector(".row").scrollIntoView({ block: "nearest" });
        if (from === "tree" || from === "keys") row.item.focus({ preventScroll: true });
      }
      const rect = this.drawSelection();
      if (rect && from !== "page") this.frameScroll.scrollTo({ top: Math.max(0, rect.top - 80), left: Math.max(0, rect.left - 80) });
      this.showDetails();
      if (from === "page" && !matchMedia("(min-width: 1100px)").matches) this.openPane("side");
    }

    /** Builds the rows of a long list up to a node. */
    showRow(at) {
      while (!this.rows.has(at)) {
        const parent = this.tree.parent[at];
        const list = parent < 0 ? this.treeRoot : this.rows.get(parent)?.item.querySelector(":scope > ul");
        const more = list && list.querySelector(":scope > .more");
        if (!more) return;
        more.showMore();
      }
    }

    decisionText(dropped) {
      return el("span", { class: dropped ? "decision-drop" : "decision-keep" }, dropped ? "Dropped" : "Kept");
    }

    showDetails() {
      const at = this.selected;
      if (at < 0) {
        return fill(this.details, el("p", { class: "muted" }, "Click a part of the page or of the tree to see why it is kept or dropped."));
      }
      const { tree, detector } = this;
      const reason = this.reason(detector, at);
      const start = this.data.step === this.step || !detector.follows_focus;
      const corrected = this.corrections.get(at);
      const term = (name, ...value) => [el("dt", {}, name), el("dd", {}, value)];
      const list = el("dl", {},
        term("Decision", this.decisionText(this.decisions[at]), corrected ? " (by you)" : "",
          !start ? ` at focus ${this.data.steps[this.step].toFixed(2)}` : ""),
        term("Score", Dehusk.bar(detector.score[at], `${detector.score[at].toFixed(2)} (1 is template)`, detector.score[at] > 0.5 ? "drop" : "keep")),
        term(start ? "Reason" : `Reason at ${this.data.steps[this.data.step].toFixed(2)}`, this.reasonText(reason)),
        reason.of ? term("Seen on", Dehusk.bar(reason.pages / reason.of, `${Dehusk.number(reason.pages)} of ${Dehusk.plural(reason.of, "page")}`)) : null,
        reason.template !== undefined ? term("Template", String(reason.template)) : null,
        term("XPath", el("code", {}, this.path("xpath", at)), " ", Dehusk.copyButton(this.path("xpath", at), "the XPath")),
        this.path("css", at) ? term("CSS", el("code", {}, this.path("css", at)), " ", Dehusk.copyButton(this.path("css", at), "the selector")) : null,
        term("Bytes", tree.start[at] < 0 ? "not in the source: the parser added it"
          : `${Dehusk.number(tree.start[at])} to ${Dehusk.number(tree.end[at])}`),
        tree.hidden[at] ? term("Hidden", "the page hides it") : null);
      fill(this.details,
        el("h3", {}, this.nameOf(at)),
        el("p", { class: "muted" }, this.textOf(at, 160)),
        this.live ? el("div", { class: "actions" },
          el("button", { type: "button", "aria-pressed": String(corrected === "keep"), onclick: () => this.correct("keep") }, "Keep"),
          el("button", { type: "button", "aria-pressed": String(corrected === "drop"), onclick: () => this.correct("drop") }, "Drop"),
          el("button", { type: "button", disabled: !corrected, onclick: () => this.correct(null) }, "Undo")) : null,
        list, this.featureTable(at), this.otherDetectors(at));
    }

    reasonText(reason) {
      if (reason.node === undefined) return reason.text;
      const at = this.indexOf.get(reason.node);
      if (at === undefined) return reason.text;
      return [`${reason.text} `, el("button", { type: "button", class: "small", onclick: () => this.select(at, { from: "details" }) }, this.nameOf(at))];
    }

    /** The features that weighed most, out of the words of the detector. */
    featureTable(at) {
      const detail = this.detector.detail[at] < 0 ? null : this.data.strings[this.detector.detail[at]];
      if (!detail) return null;
      const rows = [];
      for (const part of detail.split("; ")) {
        const found = [...part.matchAll(/([^\s,;:]+) (-?[\d.]+|inf|NaN): ([+-][\d.]+)/g)];
        const title = part.split(":")[0];
        rows.push(...found.map((match) => [title, match[1], match[2], Number(match[3])]));
      }
      if (rows.length === 0) return el("p", {}, detail);
      const largest = Math.max(...rows.map((row) => Math.abs(row[3])), 0.1);
      return el("table", {},
        el("caption", { class: "muted" }, "Features that weighed most: + speaks for template, − for content"),
        el("thead", {}, el("tr", {}, ["Feature", "Value", "Weight"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows.map(([title, name, value, weight]) => el("tr", { title },
          el("td", {}, name), el("td", { class: "number" }, value),
          el("td", {}, Dehusk.bar(Math.abs(weight) / largest, (weight > 0 ? "+" : "−") + Math.abs(weight).toFixed(1), weight > 0 ? "drop" : "keep"))))));
    }

    otherDetectors(at) {
      const bit = 1 << this.step;
      return el("table", {},
        el("caption", { class: "muted" }, "What each detector says"),
        el("thead", {}, el("tr", {}, ["Detector", "Decision", "Score", "Reason"].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, this.data.detectors.map((detector) => el("tr", {},
          el("td", {}, detector.name),
          el("td", {}, this.decisionText(!(detector.keep[at] & bit))),
          el("td", { class: "number" }, detector.score[at].toFixed(2)),
          el("td", {}, this.reason(detector, at).text)))));
    }

    // Corrections

    correctionList() {
      return [...this.corrections].map(([at, decision]) => ({ node: this.tree.id[at], decision }));
    }

    correct(decision) {
      const at = this.selected;
      if (!this.live || at < 0) return;
      // A decision about a part overrules earlier ones about what is in it.
      for (const other of [...this.corrections.keys()]) {
        if (other >= at && other < this.subtreeEnd[at]) this.corrections.delete(other);
      }
      if (decision) this.corrections.set(at, decision);
      this.corrected = null;
      this.refresh();
      this.showDetails();
      this.askForContent();
      announce(decision ? `${this.nameOf(at)}: ${decision === "keep" ? "kept" : "dropped"} by you` : "Correction undone");
    }

    request(extra) {
      return { detector: this.detector.name, focus: this.data.steps[this.step], corrections: this.correctionList(), ...extra };
    }

    /** The content with corrections, which only the server can render. */
    askForContent() {
      clearTimeout(this.asking);
      if (!this.live || this.corrections.size === 0) return;
      this.asking = setTimeout(async () => {
        try {
          const request = this.request();
          this.corrected = await Dehusk.post(`page/${this.data.number}/corrected`, request);
          this.showContent();
        } catch (error) {
          this.outputNote.textContent = error.message;
        }
      }, 60);
    }

    async save() {
      try {
        const answer = await Dehusk.post(`page/${this.data.number}/corrections`, this.request());
        this.saved = this.corrections.size > 0;
        this.saveButton.textContent = "Saved";
        announce(`Saved to ${answer.file}`);
        this.outputNote.textContent = `saved to ${answer.file}`;
      } catch (error) {
        this.outputNote.textContent = error.message;
        announce(error.message);
      }
    }

    // Keys

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
    }

    /** The next outermost dropped part after the selected one. */
    goToDropped(direction) {
      const roots = [...this.droppedRoots().keys()].filter((at) => this.textOf(at, 1));
      if (roots.length === 0) return;
      const place = roots.findIndex((at) => at >= this.selected);
      const after = roots.find((at) => at > this.selected);
      const before = place < 0 ? roots[roots.length - 1] : roots[place - 1];
      this.select(direction > 0 ? after ?? roots[0] : before ?? roots[roots.length - 1], { from: "keys" });
    }

    onKey(event) {
      if (Dehusk.isTyping(event) || document.querySelector("dialog[open]")) return;
      const keys = {
        k: () => this.correct("keep"),
        d: () => this.correct("drop"),
        u: () => this.correct(null),
        s: () => this.live && this.save(),
        n: () => this.goToDropped(1),
        p: () => this.goToDropped(-1),
        "[": () => this.detector.follows_focus && this.setStep(this.step - 1),
        "]": () => this.detector.follows_focus && this.setStep(this.step + 1),
        m: () => this.openOutput("markdown"),
        t: () => this.openOutput("text"),
        c: () => this.openOutput("compare"),
        "?": () => this.showHelp(),
      };
      if (!keys[event.key]) return;
      keys[event.key]();
      event.preventDefault();
    }

    showHelp() {
      const keys = [
        ["n, p", "next and previous dropped part"],
        ["↑ ↓ ← →", "move in the tree"],
        ["[ ]", "move the focus towards precision or recall"],
        ["m, t, c", "Markdown, text, comparison"],
        ...(this.live ? [["k, d, u", "keep, drop, undo: correct the selected part"], ["s", "save corrections"]] : []),
      ];
      const dialog = el("dialog", { "aria-labelledby": "help-title" },
        el("h2", { id: "help-title" }, "Keys"),
        el("dl", {}, keys.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])),
        el("form", { method: "dialog" }, el("button", { class: "primary" }, "Close")));
      dialog.addEventListener("close", () => dialog.remove());
      this.container.append(dialog);
      dialog.showModal();
    }
  }

  Dehusk.PageView = PageView;

  /** Shows the page whose data is in this file. */
  Dehusk.startSaved = () => {
    const data = JSON.parse(document.getElementById("view").textContent);
    Dehusk.view = new PageView(document.getElementById("app"), data, null);
  };
})();
