/** Id of the window's frame, which drawers and dialogs are outside of. */
export const SHELL_ID = 'shell'
/** Id of the page within the frame. */
export const PAGE_ID = 'page'
