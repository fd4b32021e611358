/**
 * The id of a message in the form of Meta's. It follows from Kurir's own, because Meta's is not
 * known before the message leaves, and a linked number has none.
 */
export const wamidOf = (id: string): string => `wamid.${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64')}`
