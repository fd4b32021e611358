import iconv from 'iconv-lite'
import { columnsOf, indentOf, type Line, type Span, widthOf } from './paper.ts'

// Lengths in points, 1/72 inch.
const MARGIN = 14
const PAPER_80_MM = 226.77
const A4_WIDTH = 595.28
const WIDEST_RECEIPT = 48
const LARGEST_FONT = 10
const LINE = 1.2
/** Width of a Courier character, as a fraction of the font size. */
const LETTER = 0.6
/** Below 14,400, the longest page that all viewers show. */
const LONGEST_PAGE = 14_000

/** Replacements for box-drawing characters of code page 437, which Courier lacks. */
const DRAWN: Record<string, string> = Object.fromEntries([
  ...[...'─━'].map((letter) => [letter, '-']),
  ...[...'│┃║'].map((letter) => [letter, '|']),
  ...[...'═'].map((letter) => [letter, '=']),
  ...[...'┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫'].map((letter) => [letter, '+']),
  ...[...'░▒▓█▄▀▌▐■'].map((letter) => [letter, '#']),
])

const drawn = (text: string): string => [...text].map((letter) => DRAWN[letter] ?? letter).join('')
const encoded = (text: string): Buffer => iconv.encode(drawn(text), 'win1252')

/** Returns false if the PDF's font lacks a character, which would become a question mark. */
export const canDraw = (lines: readonly Line[]): boolean =>
  lines.every(({ spans }) => spans.every(({ text }) => iconv.decode(encoded(text), 'win1252') === drawn(text)))

const number = (value: number): string => String(Math.round(value * 100) / 100)
const literal = (text: string): string =>
  encoded(text)
    .toString('latin1')
    .replaceAll(/[\\()]/g, '\\$&')

const heightOf = ({ spans }: Line): number => (spans.some(({ tall }) => tall) ? 2 : 1)

/**
 * Returns a receipt as a PDF in Courier, a font that every viewer has. Its text can be searched and
 * copied.
 */
export function drawPdf(lines: readonly Line[]): Buffer {
  const columns = columnsOf(lines)
  const width = columns <= WIDEST_RECEIPT ? PAPER_80_MM : A4_WIDTH
  const size = Math.min(LARGEST_FONT, (width - 2 * MARGIN) / (columns * LETTER))
  const step = size * LINE
  const pages: Line[][] = []
  let left = 0
  for (const line of lines) {
    const height = heightOf(line) * step
    if (left < height) {
      pages.push([])
      left = LONGEST_PAGE - 2 * MARGIN
    }
    pages.at(-1)?.push(line)
    left -= height
  }
  return file(pages.map((page) => drawPage(page, { columns, width, size, step })))
}

interface Measures {
  columns: number
  width: number
  size: number
  step: number
}

interface Page {
  width: number
  height: number
  content: string
}

function drawPage(lines: readonly Line[], { columns, width, size, step }: Measures): Page {
  const height = 2 * MARGIN + lines.reduce((sum, line) => sum + heightOf(line), 0) * step
  let y = height - MARGIN
  const parts: string[] = []
  for (const line of lines) {
    y -= heightOf(line) * step
    let column = indentOf(line, columns)
    for (const span of line.spans) {
      parts.push(drawSpan(span, MARGIN + column * size * LETTER, y + step - size, size))
      column += widthOf(span.text, span.wide)
    }
  }
  return { width, height, content: parts.join('\n') }
}

const drawSpan = ({ text, bold, wide, tall }: Span, x: number, y: number, size: number): string =>
  `BT /${bold ? 'B' : 'N'} ${number(size)} Tf ${wide ? 2 : 1} 0 0 ${tall ? 2 : 1} ${number(x)} ${number(y)} Tm (${literal(text)}) Tj ET`

/** Returns a PDF file: its objects, then the table of their offsets. */
function file(pages: readonly Page[]): Buffer {
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  const first = 5
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ')}] >>`,
    font('Courier'),
    font('Courier-Bold'),
    ...pages.flatMap(({ width, height, content }, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${number(width)} ${number(height)}] /Contents ${first + 2 * i + 1} 0 R /Resources << /Font << /N 3 0 R /B 4 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const places = objects.map((object, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(`${text}xref\n0 ${count}\n0000000000 65535 f \n${table}${end}`, 'latin1')
}
