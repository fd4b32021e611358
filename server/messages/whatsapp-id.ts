import { randomBytes } from 'node:crypto'

/**
 * An id as WhatsApp's web client makes them; chosen by us, so that every attempt of a message has
 * the same one.
 */
export const newWhatsAppId = (): string => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
