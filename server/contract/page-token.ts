// No schema here: pages import this file before they configure the schema library
// (renderer/without-eval.ts).

/**
 * The link that opens the window ends with this and a one-time code. A fragment keeps the code out
 * of every request and log.
 */
export const CODE_FRAGMENT = '#code='

/**
 * Every call of a window carries the page's token in this header, beside its cookie. The browser
 * adds the cookie to calls from pages on other ports of this PC too, but these pages can neither
 * read the token nor send this header.
 */
export const PAGE_TOKEN_HEADER = 'x-kurir-page'
