// What all views of the inspector share. Texts of pages only ever become text nodes, never markup.
"use strict";
window.Dehusk = window.Dehusk || {};
(() => {
  const Dehusk = window.Dehusk;
  Dehusk.views = Dehusk.views || {};

  /** Creates an element. Properties that begin with `on` are listeners, `class` and attributes are set, null ones are left out. */
  Dehusk.el = (tag, properties, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "style") Object.assign(element.style, value);
      else if (name === "value") element.value = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    Dehusk.append(element, children);
    return element;
  };

  /** Appends elements and texts; null is left out. */
  Dehusk.append = (element, children) => {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  };

  Dehusk.fill = (element, ...children) => {
    element.replaceChildren();
    Dehusk.append(element, children);
  };

  /** An answer of the server as JSON; an error with its message otherwise. */
  Dehusk.api = async (path, options) => {
    let answer;
    try {
      answer = await fetch(`api/${path}`, options);
    } catch (error) {
      throw new Error("The inspector no longer answers. Is `dehusk inspect` still running?");
    }
    const text = await answer.text();
    let value = null;
    try {
      value = JSON.parse(text);
    } catch (error) {
      // Not JSON: the status says more.
    }
    if (!answer.ok || value === null) {
      throw new Error((value && value.message) || `The server answered ${answer.status}.`);
    }
    return value;
  };

  Dehusk.post = (path, value) =>
    Dehusk.api(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });

  Dehusk.number = (value) => Number(value).toLocaleString("en");
  Dehusk.percent = (share) => `${Math.round(share * 100)} %`;
  Dehusk.plural = (count, one, many) => `${Dehusk.number(count)} ${count === 1 ? one : many || one + "s"}`;

  /** Says something to those who cannot see it. */
  Dehusk.announce = (text) => {
    let region = document.getElementById("announcer");
    if (!region) {
      region = Dehusk.el("div", { id: "announcer", class: "visually-hidden", role: "status", "aria-live": "polite" });
      document.body.append(region);
    }
    region.textContent = text;
  };

  /** A share from 0 to 1 as a bar with its number. */
  Dehusk.bar = (share, label, kind) =>
    Dehusk.el(
      "span",
      { class: `bar ${kind || ""}` },
      Dehusk.el("span", { class: "bar-track", "aria-hidden": "true" },
        Dehusk.el("span", { class: "bar-fill", style: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } })),
      Dehusk.el("span", { class: "bar-text" }, label === undefined ? share.toFixed(2) : label),
    );

  /** A button that copies a text. */
  Dehusk.copyButton = (text, what) =>
    Dehusk.el("button", {
      type: "button",
      class: "small",
      "aria-label": `Copy ${what}`,
      onclick: async (event) => {
        const button = event.currentTarget;
        try {
          await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
          button.textContent = "Copied";
        } catch (error) {
          button.textContent = "Cannot copy";
        }
        Dehusk.announce(`${button.textContent}: ${what}`);
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      },
    }, "Copy");

  const THEMES = ["auto", "light", "dark"];
  const stored = () => {
    try {
      return localStorage.getItem("dehusk-theme");
    } catch (error) {
      // Files on disk may have no storage.
      return null;
    }
  };
  const setTheme = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  let theme = THEMES.includes(stored()) ? stored() : "auto";
  setTheme(theme);

  Dehusk.themeButton = () => {
    const label = () => `Colours: ${theme}`;
    const button = Dehusk.el("button", {
      type: "button",
      onclick: () => {
        theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
        setTheme(theme);
        try {
          localStorage.setItem("dehusk-theme", theme);
        } catch (error) {
          // It then holds for this view only.
        }
        button.textContent = label();
      },
    }, label());
    return button;
  };

  /** Whether a key is meant for a field, not for the view. */
  Dehusk.isTyping = (event) =>
    event.altKey || event.ctrlKey || event.metaKey ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.target.isContentEditable;
})();
