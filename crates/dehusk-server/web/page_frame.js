// The page as it looks, in a frame that cannot do anything, and what is drawn over it.
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
    main: "#1a6b34", navigation: "#2f6fd0", header: "#7a4fc0", footer: "#6b7280", sidebar: "#a85208",
    advertisement: "#c01f5d", form: "#12807a", comments: "#8a6d00",
  };

  /** What the frame shows beside the page's own styles. */
  const FRAME_STYLE = [
    "[data-dh-drop]{opacity:.42!important}",
    ...Object.keys(GROUPS).map((group) =>
      `[data-dh-drop=${group}]{box-shadow:inset 0 0 0 200vmax ${GROUPS[group].colour}40!important;outline:1px solid ${GROUPS[group].colour}!important;outline-offset:-1px!important}`),
    "[data-dh-only]{opacity:1!important;filter:none!important;outline:3px solid #c01f5d!important;outline-offset:-3px!important}",
    "[data-dh-only=second]{outline-style:dashed!important;outline-color:#2f6fd0!important}",
    // Pages that wait for their scripts hide themselves until then.
    "html,body{opacity:1!important;visibility:visible!important;display:block!important}",
    "html{overflow:hidden!important}*{animation:none!important;transition:none!important;scroll-behavior:auto!important}",
  ].join("");

  Object.assign(Dehusk.PageView.prototype, {
    buildLegend() {
      const items = Object.values(GROUPS).map((group) => {
        const item = el("span", {}, group.label);
        item.style.setProperty("--swatch", group.colour);
        return item;
      });
      return el("div", { class: "legend", role: "note", "aria-label": "Why parts are dropped" }, "Dimmed is dropped:", items);
    },

    buildFrame() {
      const { data } = this;
      if (!data.frame) return el("p", { class: "message" }, "The page is too large to be shown. Its content is beside it.");
      this.frame = el("iframe", { sandbox: "allow-same-origin", title: "The page, which cannot run or load anything", tabindex: "-1", inert: true });
      this.overlay = el("div", { class: "overlay", "aria-hidden": "true" });
      this.hoverLabel = el("span");
      this.hoverBox = el("div", { class: "box hover", hidden: true }, this.hoverLabel);
      this.selectBoxes = el("div");
      this.segmentBoxes = el("div");
      this.recordBoxes = el("div");
      this.overlay.append(this.segmentBoxes, this.recordBoxes, this.selectBoxes, this.hoverBox);
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
    },

    onFrameLoaded() {
      const page = this.frame.contentDocument;
      if (!page) return;
      const style = page.createElement("style");
      style.textContent = FRAME_STYLE;
      (page.head || page.documentElement).append(style);
      this.frameStyle = style;
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
    },

    /** Shows the page with its own style sheets, or without them: some hide what only their scripts would show. */
    setStyles(on) {
      this.hasStyles = on;
      const page = this.frame && this.frame.contentDocument;
      if (!page) return;
      for (const sheet of page.styleSheets) {
        if (sheet.ownerNode !== this.frameStyle) sheet.disabled = !on;
      }
      this.fitFrame();
    },

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
      this.drawRecords();
    },

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
    },

    /** The group of reasons that a dropped node is coloured by. */
    groupAt(at) {
      for (let up = at; this.corrections.size > 0 && up >= 0; up = this.tree.parent[up]) {
        if (this.corrections.has(up)) return "hand";
      }
      const reason = this.reason(this.detector, at);
      // A reason of another focus: what is dropped only here is dropped for its score.
      if (reason.name === "no_evidence" || reason.name === "part_of") return "model";
      return groupOf(reason.name);
    },

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
    },

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
    },

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
    },

    drawSegments() {
      if (!this.segmentBoxes) return;
      const found = (this.data.segments || []).find((one) => one.method === this.segmentMethod);
      if (!found) return fill(this.segmentBoxes);
      const boxes = [];
      found.segments.forEach((segment, number) => {
        const rect = this.rectOf(segment.nodes.flatMap((id) => this.elements.get(id) || []));
        if (!rect) return;
        const label = number === found.main && segment.role !== "main" ? `${segment.role} (main)` : segment.role;
        const box = el("div", { class: "box segment" }, el("span", {}, label));
        box.style.setProperty("--swatch", ROLES[segment.role] || "#6b7280");
        this.place(box, rect);
        boxes.push(box);
      });
      fill(this.segmentBoxes, boxes);
      announce(`${Dehusk.plural(found.segments.length, "segment")}`);
    },

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
    },

    place(box, rect) {
      Object.assign(box.style, {
        left: `${rect.left}px`, top: `${rect.top}px`, width: `${rect.right - rect.left}px`, height: `${rect.bottom - rect.top}px`,
      });
    },

    /** The elements of a node, or of the nearest ancestor that has one. */
    elementsOf(at) {
      for (let up = at; up >= 0; up = this.tree.parent[up]) {
        const found = this.elements.get(this.tree.id[up]);
        if (found) return found;
      }
      return [];
    },

    nodeAt(event) {
      const page = this.frame.contentDocument;
      const bounds = this.overlay.getBoundingClientRect();
      let element = page && page.elementFromPoint(event.clientX - bounds.left, event.clientY - bounds.top);
      while (element && !element.hasAttribute("data-dh")) element = element.parentElement;
      return element ? this.indexOf.get(Number(element.getAttribute("data-dh"))) ?? -1 : -1;
    },

    onHover(event) {
      const at = this.nodeAt(event);
      const rect = at < 0 ? null : this.rectOf(this.elementsOf(at));
      this.hoverBox.hidden = !rect;
      if (rect) {
        this.place(this.hoverBox, rect);
        const state = this.decisions[at] ? "dropped" : "kept";
        this.hoverLabel.textContent = `${this.nameOf(at)}: ${state}, score ${this.detector.score[at].toFixed(2)}`;
        this.hoverLabel.classList.toggle("below", rect.top < 24);
      }
    },

    drawSelection() {
      if (!this.selectBoxes) return;
      const rect = this.selected < 0 ? null : this.rectOf(this.elementsOf(this.selected));
      if (!rect) return fill(this.selectBoxes);
      const box = el("div", { class: "box selected" });
      this.place(box, rect);
      fill(this.selectBoxes, box);
      return rect;
    },
  });
})();
