import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import iconv from 'iconv-lite'
import { beginsCommand, ESC, endOfCommand, FS, GS } from './commands.ts'
import type { CodePage } from './contract.ts'
import { createPaper, DOTS, type Line, type Paper } from './paper.ts'

const HT = 0x09
const LF = 0x0a
const FF = 0x0c
const CR = 0x0d
const LONGEST_QR = 1024
// A receipt has some hundred lines. Anything beyond these limits is rubbish and is not read
// further.
const MOST_TOKENS = 8_000
const MOST_LETTERS = 64 * 1024
/** Most receipts from one connection; the rest of its bytes form one more. */
const MOST_RECEIPTS = 500
// Tokens between pauses in which other calls run.
const AT_A_STRETCH = 2_000

interface Token {
  kind: 'text' | 'command' | 'control'
  from: number
  to: number
}

/** Splits bytes into runs of text, commands and single control characters. */
function* tokens(bytes: Uint8Array): Generator<Token> {
  for (let from = 0; from < bytes.length; ) {
    const first = bytes[from] ?? 0
    let to = from + 1
    if (beginsCommand(first)) to = endOfCommand(bytes, from)
    else if (isLetter(first)) while (to < bytes.length && isLetter(bytes[to] ?? 0)) to += 1
    yield { kind: beginsCommand(first) ? 'command' : isLetter(first) ? 'text' : 'control', from, to }
    from = to
  }
}

/** Returns a receipt's tokens; `isWhole` is false if the limits cut them off. */
function receiptIn(bytes: Uint8Array): { all: Token[]; isWhole: boolean } {
  const all: Token[] = []
  let letters = 0
  for (const token of tokens(bytes)) {
    if (token.kind === 'text') letters += token.to - token.from
    if (all.length === MOST_TOKENS || letters > MOST_LETTERS) return { all, isWhole: false }
    all.push(token)
  }
  return { all, isWhole: true }
}

/** Returns true for a print longer than any receipt. `readReceipt` still reads its beginning. */
export const isTooLong = (bytes: Uint8Array): boolean => !receiptIn(bytes).isWhole

const isLetter = (byte: number): boolean => byte >= 0x20 && byte !== 0x7f

/** Returns a command's name without parameters, such as `ESC a`. */
const nameOf = (bytes: Uint8Array, { from }: Token): string => {
  const first = bytes[from]
  const prefix = first === ESC ? 'ESC' : first === GS ? 'GS' : first === FS ? 'FS' : 'DLE'
  return `${prefix} ${String.fromCharCode(bytes[from + 1] ?? 0)}`
}

const isCut = (name: string): boolean => name === 'GS V' || name === 'ESC i' || name === 'ESC m'

/**
 * Splits the bytes of one connection into receipts, because a till may keep it open all day. Bytes
 * without text (the drawer, a logo) stay with the receipt before them.
 */
export async function splitAtCuts(bytes: Buffer): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let [from, hasText] = [0, false]
  // Repeat the last code page command before each receipt, because the page stays selected.
  let page: Buffer = Buffer.alloc(0)
  let before = page
  const end = (to: number) => {
    if (!hasText) return
    parts.push(Buffer.concat([before, bytes.subarray(from, to)]))
    ;[from, hasText, before] = [to, false, page]
  }
  let seen = 0
  for (const token of tokens(bytes)) {
    seen += 1
    if (seen % AT_A_STRETCH === 0) await setImmediate()
    if (token.kind === 'text') hasText ||= bytes.subarray(token.from, token.to).some((byte) => byte !== 0x20)
    if (token.kind !== 'command') continue
    const name = nameOf(bytes, token)
    if (name === 'ESC @') page = Buffer.alloc(0)
    if (name === 'ESC t') page = bytes.subarray(token.from, token.to)
    if (isCut(name) && parts.length < MOST_RECEIPTS) end(token.to)
  }
  end(bytes.length)
  return parts
}

async function lastOf(bytes: Buffer): Promise<Token | undefined> {
  let last: Token | undefined
  let seen = 0
  for (const token of tokens(bytes)) {
    seen += 1
    if (seen % AT_A_STRETCH === 0) await setImmediate()
    last = token
  }
  return last
}

/** Returns true if the last token is text, which a broken connection may have truncated. */
export const endsInText = async (bytes: Buffer): Promise<boolean> => (await lastOf(bytes))?.kind === 'text'

/** Returns true if the last token cuts the paper, so the receipt is complete. */
export async function endsInCut(bytes: Buffer): Promise<boolean> {
  const last = await lastOf(bytes)
  return last?.kind === 'command' && isCut(nameOf(bytes, last))
}

type Act = (paper: Paper, n: number, parameters: Uint8Array) => void

/** Converts a distance in dots, stored in two bytes, to columns. */
const columns = (parameters: Uint8Array): number =>
  Math.round(((parameters[0] ?? 0) + (parameters[1] ?? 0) * 256) / DOTS)

/** Commands that affect the text after them. */
const ACTS: Record<string, Act> = {
  'ESC @': (paper) => paper.reset(),
  'ESC E': (paper, n) => paper.style({ bold: (n & 1) === 1 }),
  'ESC G': (paper, n) => paper.style({ bold: (n & 1) === 1 }),
  'ESC !': (paper, n) => paper.style({ bold: (n & 8) !== 0, tall: (n & 16) !== 0, wide: (n & 32) !== 0 }),
  'GS !': (paper, n) => paper.style({ tall: (n & 7) !== 0, wide: (n & 0x70) !== 0 }),
  'ESC a': (paper, n) => paper.align(n),
  'ESC $': (paper, _n, parameters) => paper.moveTo(columns(parameters)),
  'ESC \\': (paper, _n, parameters) => paper.moveBy(columns(parameters)),
  'ESC D': (paper, _n, parameters) => paper.tabStops([...parameters.subarray(0, -1)]),
  'ESC d': (paper, n) => paper.feed(n),
  'ESC J': (paper) => paper.feed(0),
}

/** Returns the lines of a receipt. Never throws: bytes that are no text are left out. */
export function readReceipt(bytes: Uint8Array, codePage: CodePage): Line[] {
  const { all } = receiptIn(bytes)
  const texts = all.flatMap(({ kind, from, to }) => (kind === 'text' ? [bytes.subarray(from, to)] : []))
  const decode = createDecoder(codePage, texts)
  const paper = createPaper()
  let page = 0
  let qr = ''
  const parameter = ({ from }: Token, n: number) => bytes[from + 1 + n] ?? 0

  function control(token: Token): void {
    const [byte, next] = [bytes[token.from], bytes[token.to]]
    if (byte === LF || byte === FF) paper.endLine()
    else if (byte === CR && next !== LF) paper.printAgain()
    else if (byte === HT) paper.tab()
  }

  /** Prints a two-dimensional code as its text. One command stores the code, another prints it. */
  function code(token: Token): void {
    if (parameter(token, 1) !== 0x6b) return
    const what = parameter(token, 5)
    if (what === 80) qr = Buffer.from(bytes.subarray(token.from + 8, token.to).subarray(0, LONGEST_QR)).toString()
    if (what !== 81 || qr === '') return
    paper.ownLine(qr)
    // A second print of the same code adds nothing.
    qr = ''
  }

  function command(token: Token): void {
    const n = parameter(token, 1)
    const name = nameOf(bytes, token)
    const act = ACTS[name]
    if (name === 'ESC @') page = 0
    if (name === 'ESC t') page = n
    else if (name === 'GS (') code(token)
    else if (isCut(name)) paper.feed(0)
    else if (act !== undefined) act(paper, n, bytes.subarray(token.from + 2, token.to))
  }

  for (const token of all) {
    if (token.kind === 'text') paper.print(decode(bytes.subarray(token.from, token.to), page))
    else if (token.kind === 'control') control(token)
    else command(token)
  }
  return paper.lines()
}

/** Encodings (iconv-lite's names) by Epson's page number of `ESC t`. */
const CODE_PAGES: Record<number, string> = {
  ...{ 0: 'cp437', 2: 'cp850', 3: 'cp860', 4: 'cp863', 5: 'cp865', 13: 'cp857', 14: 'cp737', 15: 'iso88597' },
  ...{ 16: 'win1252', 17: 'cp866', 18: 'cp852', 19: 'cp858', 33: 'cp775', 34: 'cp855', 35: 'cp861', 36: 'cp862' },
  ...{ 37: 'cp864', 38: 'cp869', 39: 'iso88592', 40: 'iso885915', 45: 'win1250', 46: 'win1251', 47: 'win1253' },
  ...{ 48: 'win1254', 49: 'win1255', 50: 'win1256', 51: 'win1257', 52: 'win1258' },
}

const CHOSEN_PAGES: Record<Exclude<CodePage, 'auto'>, string> = {
  '437': 'cp437',
  '850': 'cp850',
  '858': 'cp858',
  '1252': 'win1252',
  'utf-8': 'utf8',
}

/** Code page that a printer starts with. */
const FIRST_PAGE = 'cp437'

const hasHighByte = (bytes: Uint8Array): boolean => bytes.some((one) => one > 0x7f)

/**
 * Creates a decoder for the texts of one print. If all texts with high bytes are valid UTF-8, the
 * print is UTF-8, because text in another page is hardly ever so by chance. Otherwise the code page
 * that the print selects applies.
 */
function createDecoder(chosen: CodePage, texts: readonly Uint8Array[]) {
  const high = texts.filter(hasHighByte)
  const always =
    chosen !== 'auto' ? CHOSEN_PAGES[chosen] : high.length > 0 && high.every((one) => isUtf8(one)) ? 'utf8' : null
  return (bytes: Uint8Array, number: number): string =>
    iconv.decode(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      always ?? CODE_PAGES[number] ?? FIRST_PAGE,
    )
}
