/** The window without what covers it, such as drawers. */
export const SHELL_ID = 'shell'
/** The page in it. */
export const PAGE_ID = 'page'
