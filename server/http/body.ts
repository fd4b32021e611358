import express, { type RequestHandler } from 'express'
import { ApiError } from '../contract/errors.ts'

export const BODY_LIMIT = 1024 * 1024
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Reads a body as bytes, whatever it claims to be: the type is judged afterwards, with a sentence instead of silence. */
export const readBytes = (limit: number): RequestHandler => express.raw({ type: () => true, limit, inflate: false })

/** The JSON of a body. Nothing but JSON in UTF-8 is taken. */
export function parseJson(bytes: unknown, contentType: string | undefined, optional: boolean): unknown {
  const body = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0)
  if (body.length === 0 && optional) return undefined
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw new ApiError('unsupported_media_type', 'Send JSON with the header "Content-Type: application/json".')
  }
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON in UTF-8. Check it for a missing quote or comma.')
  }
}

/** What the body reader refuses, as an error of ours. */
export function asBodyError(error: unknown): unknown {
  const type = (error as { type?: unknown } | null)?.type
  if (type === 'entity.too.large') {
    return new ApiError('payload_too_large', 'The body is larger than 1 MiB. Send files by their address (file).')
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new ApiError('unsupported_media_type', 'Send the body as plain JSON in UTF-8, without compression.')
  }
  if (typeof type === 'string') return new ApiError('invalid_json', 'The body did not arrive whole.')
  return error
}
