const ESCAPE = '\\u0000'

/**
 * JSON without U+0000, which no phone shows and PostgreSQL's texts do not hold. Programs with texts
 * of a fixed length fill them up with it. JSON has it as an escape alone; one whose backslash is
 * escaped itself is the text of these six characters.
 */
export const withoutNul = (json: string): string =>
  json.includes(ESCAPE) ? json.replace(/\\(?:u0000|.)/g, (found) => (found === ESCAPE ? '' : found)) : json

/** The same for bytes that may not be JSON at all. */
export const bytesWithoutNul = (json: Buffer): Buffer =>
  json.includes(ESCAPE) ? Buffer.from(withoutNul(json.toString('latin1')), 'latin1') : json
