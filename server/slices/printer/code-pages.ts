import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import type { CodePage } from './contract.ts'

/** Names of iconv-lite, by the number that `ESC t` has for the page at Epson. */
const BY_NUMBER: Record<number, string> = {
  ...{ 0: 'cp437', 2: 'cp850', 3: 'cp860', 4: 'cp863', 5: 'cp865', 13: 'cp857', 14: 'cp737', 15: 'iso88597' },
  ...{ 16: 'win1252', 17: 'cp866', 18: 'cp852', 19: 'cp858', 33: 'cp775', 34: 'cp855', 35: 'cp861', 36: 'cp862' },
  ...{ 37: 'cp864', 38: 'cp869', 39: 'iso88592', 40: 'iso885915', 45: 'win1250', 46: 'win1251', 47: 'win1253' },
  ...{ 48: 'win1254', 49: 'win1255', 50: 'win1256', 51: 'win1257', 52: 'win1258' },
}

const CHOSEN: Record<Exclude<CodePage, 'auto'>, string> = {
  '437': 'cp437',
  '850': 'cp850',
  '858': 'cp858',
  '1252': 'win1252',
  'utf-8': 'utf8',
}

/** The page that a printer begins with. */
const FIRST = 'cp437'

const hasHighByte = (bytes: Uint8Array): boolean => bytes.some((one) => one > 0x7f)

/**
 * Reads the texts of one print. What is UTF-8 in all of them is UTF-8: of no other page that is
 * likely by chance. Otherwise the page counts that the print names.
 */
export function createDecoder(chosen: CodePage, texts: readonly Uint8Array[]) {
  const high = texts.filter(hasHighByte)
  const always =
    chosen !== 'auto' ? CHOSEN[chosen] : high.length > 0 && high.every((one) => isUtf8(one)) ? 'utf8' : null
  return (bytes: Uint8Array, number: number): string =>
    iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), always ?? BY_NUMBER[number] ?? FIRST)
}
