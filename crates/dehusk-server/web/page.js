// The view of one page: the page as it looks, its tree, why each part is kept or dropped, and the content that results.
"use strict";
(() => {
  const Dehusk = window.Dehusk;
  const { el, fill } = Dehusk;

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
      this.hasStyles = true;
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

    isPart(at) {
      return !this.decisions[at] && this.droppedBefore[this.subtreeEnd[at]] > this.droppedBefore[at];
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
      const head = el("header", { class: "page-top" }, this.buildHead(), this.buildFacts(), this.buildToolbar(), tabs);
      const view = el("div", { class: "page-view" }, head, panes);
      fill(this.container, view);
      this.openPane("page");
      if (data.methods_compared) this.output = "compare";
      const onKey = (event) => this.onKey(event);
      document.addEventListener("keydown", onKey);
      this.cleanups.push(() => document.removeEventListener("keydown", onKey));
      const onResize = () => this.fitFrame();
      window.addEventListener("resize", onResize);
      this.cleanups.push(() => window.removeEventListener("resize", onResize));
      document.title = `${data.title || data.name || "Page"} – Dehusk`;
      this.refresh();
      this.showDetails();
      this.askForContent();
    }

    close() {
      this.cleanups.forEach((cleanup) => cleanup());
    }

    buildHead() {
      const { data } = this;
      const address = data.url || data.name || "";
      return el("div", { class: "page-head" },
        this.live && !this.live.isSingle ? el("a", { href: "#/" }, "All pages") : null,
        this.live && !this.live.isSingle && data.site_name
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
        "aria-valuetext": this.focusText(),
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
      const styles = el("button", {
        type: "button", "aria-pressed": "true", title: "Whether the page is shown with its own style sheets",
        onclick: () => {
          this.setStyles(!this.hasStyles);
          styles.setAttribute("aria-pressed", String(this.hasStyles));
          styles.textContent = this.hasStyles ? "Styles: on" : "Styles: off";
        },
      }, "Styles: on");
      bar.push(styles);
      if (this.live) {
        bar.push(el("button", {
          type: "button", "aria-pressed": String(this.live.network),
          title: "Style sheets and pictures of the page are fetched from its site",
          onclick: () => this.live.setNetwork(!this.live.network),
        }, this.live.network ? "Network: on" : "Network: off"));
        this.saveButton = el("button", { type: "button", onclick: () => this.save(), disabled: true }, "Save corrections");
        bar.push(this.saveButton);
        if (!this.live.isSingle && !data.methods_compared) {
          bar.push(el("button", { type: "button", title: "Learn the site of this page with every method and compare them",
            onclick: (event) => { event.currentTarget.disabled = true; event.currentTarget.textContent = "Learning…"; this.live.compareMethods(); } },
          "Compare site methods"));
        }
      }
      bar.push(Dehusk.themeButton(), el("button", { type: "button", onclick: () => this.showHelp() }, "Keys"));
      return el("div", { class: "toolbar", role: "group", "aria-label": "Settings" }, bar);
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

    /** Shows the decisions at this focus everywhere. */
    refresh() {
      this.decisions = this.decide(this.detector);
      // For each node the number of dropped ones before it.
      this.droppedBefore = new Int32Array(this.count + 1);
      for (let at = 0; at < this.count; at++) this.droppedBefore[at + 1] = this.droppedBefore[at] + this.decisions[at];
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
        r: () => this.openOutput("records"),
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
        ["m, t, c, r", "Markdown, text, comparison, records"],
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
