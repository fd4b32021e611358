// Without a schema: pages need these before anything with a schema may be made.

/**
 * The link that opens the window ends with this and a one-time code. Behind `#`, so that it is in
 * no request and no log.
 */
export const CODE_FRAGMENT = '#code='

/**
 * Every call of a window brings the page's token in this header, beside its cookie. Pages of other
 * ports of this PC get the cookie as well, but neither read this nor may send it.
 */
export const PAGE_TOKEN_HEADER = 'x-kurir-page'
