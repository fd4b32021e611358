export const html = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/** A sentence with `code` in it. */
export const prose = (text: string): string => html(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export const code = (text: string): string => `<code>${html(text)}</code>`

const REF = /&#34;#\/components\/schemas\/(\w+)&#34;/g
/** JSON; leads on to the schemas that it refers to. */
export const block = (value: unknown): string =>
  `<pre tabindex="0">${html(JSON.stringify(value, null, 2)).replace(REF, '<a href="#schema-$1">$1</a>')}</pre>`

const rowOf = (tag: 'th' | 'td', cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`

/** @param rows cells in HTML */
export const table = (head: readonly string[], rows: readonly string[][]): string =>
  `<table>${rowOf('th', head)}${rows.map((cells) => rowOf('td', cells)).join('')}</table>`
