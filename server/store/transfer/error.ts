/**
 * The rows that were written are not those that were read, or a place is not one to copy from or
 * to; nothing was kept.
 */
export class TransferError extends Error {}
