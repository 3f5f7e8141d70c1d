// SPDX-License-Identifier: MIT
// Settings of a stage as fields of a form, made of the program's own schema of recipes. A setting that
// is left as it is does not enter the recipe.

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function numbersOf(text) {
  const parts = text.split(',').map((part) => part.trim()).filter(Boolean);
  const numbers = parts.map(Number);
  return numbers.length === 1 ? numbers[0] : numbers;
}

function textsOf(text) {
  const parts = text.split(',').map((part) => part.trim()).filter(Boolean);
  return parts.length === 1 ? parts[0] : parts;
}

// What values a setting has: 'boolean', 'integer', 'number', 'string', 'choice', 'numbers', 'texts'.
export function kindOf(schema) {
  if (schema.enum) return 'choice';
  if (schema.type && schema.type !== 'array') return schema.type;
  if (schema.type === 'array') return 'numbers';
  return schema.anyOf?.[0]?.type === 'string' ? 'texts' : 'numbers';
}

const READERS = {
  integer: Number,
  number: Number,
  string: (text) => text,
  numbers: numbersOf,
  texts: textsOf,
  choice: (text) => text,
  boolean: (text) => text === 'true',
};

function shownDefault(schema) {
  const value = schema.default;
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return 'unset';
  return String(value);
}

function inputOf(name, schema, kind) {
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? ['true', 'false'] : schema.enum;
    const none = element('option', { value: '', textContent: `${shownDefault(schema)} (default)` });
    const options = values.map((value) => element('option', { value, textContent: value }));
    return element('select', { name }, none, ...options);
  }
  const type = kind === 'integer' || kind === 'number' ? 'number' : 'text';
  const input = element('input', { name, type, placeholder: shownDefault(schema) });
  if (type === 'number') {
    input.step = kind === 'integer' ? '1' : 'any';
    if (schema.minimum !== undefined) input.min = schema.minimum;
    if (schema.maximum !== undefined) input.max = schema.maximum;
  }
  return input;
}

/** The settings of one table of a recipe: `node` for the page, `value()` for the recipe. */
export class TableForm {
  constructor(schema, changed) {
    this.fields = [];
    this.lists = [];
    this.node = element('div', { className: 'table' });
    for (const [name, field] of Object.entries(schema.properties)) {
      if (name === 'type') continue;
      if (field.type === 'array' && field.items?.properties) this.addList(name, field, changed);
      else this.addField(name, field, changed);
    }
  }

  addField(name, schema, changed) {
    const kind = kindOf(schema);
    const input = inputOf(name, schema, kind);
    input.addEventListener('input', changed);
    const label = element('label', { className: 'field', title: schema.description },
      element('span', { textContent: name }), input);
    this.fields.push({ name, kind, input });
    this.node.append(label);
  }

  addList(name, schema, changed) {
    const items = element('div', { className: 'items' });
    const list = { name, forms: [] };
    const add = element('button', { type: 'button', textContent: `Add ${name}`, title: schema.description });
    add.dataset.list = name;
    add.onclick = () => {
      const form = new TableForm(schema.items, changed);
      const remove = element('button', { type: 'button', textContent: `Remove ${name}` });
      const box = element('fieldset', {}, element('legend', { textContent: name }), form.node, remove);
      remove.onclick = () => {
        list.forms.splice(list.forms.indexOf(form), 1);
        box.remove();
        changed();
      };
      list.forms.push(form);
      items.append(box);
      changed();
    };
    this.lists.push(list);
    this.node.append(items, add);
  }

  value() {
    const value = {};
    for (const { name, kind, input } of this.fields) {
      if (input.value.trim() !== '') value[name] = READERS[kind](input.value.trim());
    }
    for (const { name, forms } of this.lists) {
      if (forms.length > 0) value[name] = forms.map((form) => form.value());
    }
    return value;
  }

  /** Fills fields, as a person would: {distance_m: 5, chain: [{root: 'Tail1'}]}. */
  fill(values) {
    for (const [name, value] of Object.entries(values)) {
      const field = this.fields.find((known) => known.name === name);
      if (field) {
        field.input.value = Array.isArray(value) ? value.join(', ') : String(value);
        continue;
      }
      const list = this.lists.find((known) => known.name === name);
      for (const item of value) {
        this.node.querySelector(`button[data-list="${name}"]`).click();
        list.forms.at(-1).fill(item);
      }
    }
  }
}
