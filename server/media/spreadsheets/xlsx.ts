import { unzipSync } from 'fflate'
import { DAY } from '../../lib/clock.ts'
import { type Attributes, joined, parse } from './bounded-xml.ts'
import { TableRefused } from './refused.ts'

/** A row of a sheet: its number in the file, and the texts of its cells. */
export interface SheetLine {
  line: number
  cells: string[]
}

export interface SheetBounds {
  rows: number
  columns: number
  /** Inflated bytes of all parts that are read. */
  inflated: number
  /** UTF-16 units of all cells together. */
  text: number
}

const MOST_PARTS = 1_000
// The last row of a sheet in Excel.
const LAST_ROW = 1_048_576
const SHARED = 'xl/sharedStrings.xml'
const STYLES = 'xl/styles.xml'
const BOOK = 'xl/workbook.xml'
const RELATIONS = 'xl/_rels/workbook.xml.rels'

/**
 * Returns a function that reads parts of the archive by name. The sizes in the archive's directory
 * are checked before a part is inflated.
 */
function readParts(archive: Uint8Array, bounds: SheetBounds) {
  let count = 0
  let left = bounds.inflated
  return (wanted: (name: string) => boolean): Map<string, string> => {
    try {
      const parts = unzipSync(archive, {
        filter: ({ name, originalSize }) => {
          count += 1
          if (count > 3 * MOST_PARTS) throw new TableRefused('too_large')
          if (!wanted(name)) return false
          left -= originalSize
          if (left < 0) throw new TableRefused('too_large')
          return true
        },
      })
      const decoder = new TextDecoder()
      return new Map(Object.entries(parts).map(([name, bytes]) => [name, decoder.decode(bytes)]))
    } catch (error) {
      throw error instanceof TableRefused ? error : new TableRefused('not_a_table')
    }
  }
}

/** Returns the path of the first visible sheet, and the date system of the workbook. */
function firstSheet(book: string, relations: string): { path: string; from1904: boolean } {
  const sheets: { id: string; hidden: boolean }[] = []
  let from1904 = false
  parse(book, {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = /^(1|true)$/.test(attributes().date1904 ?? '')
      if (name !== 'sheet') return
      const all = attributes()
      const id = Object.entries(all).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      sheets.push({ id, hidden: (all.state ?? 'visible') !== 'visible' })
    },
  })
  const wanted = sheets.find(({ hidden }) => !hidden) ?? sheets[0]
  let path = 'xl/worksheets/sheet1.xml'
  parse(relations, {
    open(name, attributes) {
      if (name !== 'Relationship') return
      const { Id, Target = '' } = attributes()
      if (Id === wanted?.id) path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`
    },
  })
  return { path, from1904 }
}

function sharedTexts(xml: string | undefined): string[] {
  const texts: string[] = []
  if (xml === undefined) return texts
  let text = ''
  let isRead = false
  let isSpoken = false
  parse(xml, {
    open(name) {
      if (name === 'si') text = ''
      if (name === 'rPh') isSpoken = true
      isRead = name === 't' && !isSpoken
    },
    close(name) {
      if (name === 'si') texts.push(text)
      if (name === 'rPh') isSpoken = false
      if (name === 't') isRead = false
    },
    text(value) {
      if (isRead) text = joined(text, value)
    },
  })
  return texts
}

/** Returns, by style number, true if cells of that style are dates. */
function dateStyles(xml: string | undefined): boolean[] {
  const dates: boolean[] = []
  if (xml === undefined) return dates
  const own = new Map<string, boolean>()
  let isIn = false
  parse(xml, {
    open(name, attributes) {
      if (name === 'numFmt') own.set(attributes().numFmtId ?? '', isDateFormat(attributes().formatCode ?? ''))
      if (name === 'cellXfs') isIn = true
      if (name !== 'xf' || !isIn) return
      const { numFmtId = '0' } = attributes()
      dates.push(own.get(numFmtId) ?? isBuiltInDate(Number(numFmtId)))
    },
    close(name) {
      if (name === 'cellXfs') isIn = false
    },
  })
  return dates
}

/** Returns the column index of a cell reference: `C7` → 2. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of reference) {
    const value = letter.charCodeAt(0) - 64
    if (value < 1 || value > 26) break
    column = Math.min(column * 26 + value, 1_000_000)
  }
  return column - 1
}

/** Decodes characters that XML cannot hold, such as `_x000D_`. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-F]{4})_/gi, (_written, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Returns a number as it was typed. A spreadsheet keeps no more than 15 digits. */
function numberText(value: string): string {
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)))
}

/**
 * Reads the first visible sheet of an XLSX file. An empty cell takes no memory, however far outside
 * the bounds it is; a cell with text outside the bounds refuses the file.
 * @throws TableRefused
 */
export function readSheet(archive: Uint8Array, bounds: SheetBounds, language: string): SheetLine[] {
  const read = readParts(archive, bounds)
  const parts = read((name) => [BOOK, RELATIONS, STYLES, SHARED].includes(name))
  const book = parts.get(BOOK)
  if (book === undefined) throw new TableRefused('not_a_table')
  const { path, from1904 } = firstSheet(book, parts.get(RELATIONS) ?? '<none/>')
  const sheet = read((name) => name === path).get(path)
  if (sheet === undefined) throw new TableRefused('not_a_table')
  const shared = sharedTexts(parts.get(SHARED))
  const isDate = dateStyles(parts.get(STYLES))
  const dateText = dateTexts(from1904, language)

  const lines: SheetLine[] = []
  let line = 0
  let column = -1
  let cells: string[] = []
  let cell: Attributes = {}
  let value: string | null = null

  function textOf(text: string): string {
    if (cell.t === 's') return unescaped(shared[Number(text)] ?? '')
    if (cell.t === 'e') return ''
    if (cell.t === 'b') return text === '1' ? 'TRUE' : 'FALSE'
    if (cell.t === 'str' || cell.t === 'inlineStr' || cell.t === 'd') return unescaped(text)
    if (text.trim() === '') return ''
    const date = isDate[Number(cell.s ?? 0)] === true ? dateText(Number(text)) : undefined
    return date ?? numberText(text)
  }

  function endCell(): void {
    // Remove NUL, which the database cannot store.
    const text = value === null ? '' : textOf(value).replaceAll('\0', '')
    if (text.trim() === '') return
    if (column >= bounds.columns) throw new TableRefused('too_many_columns')
    // The header line may come on top of the rows.
    if (lines.length > bounds.rows) throw new TableRefused('too_many_rows')
    while (cells.length < column) cells.push('')
    cells[column] = text
  }

  let isText = false
  parse(sheet, {
    open(name, attributes) {
      if (name === 'row') {
        const named = Number(attributes().r)
        line = Number.isInteger(named) && named > 0 && named <= LAST_ROW ? named : line + 1
        column = -1
        cells = []
      }
      if (name === 'c') {
        cell = attributes()
        column = cell.r === undefined ? column + 1 : columnOf(cell.r)
        value = null
      }
      isText = name === 'v' || name === 't'
    },
    close(name) {
      if (name === 'c') endCell()
      if (name === 'row' && cells.length > 0) lines.push({ line, cells })
      isText = false
    },
    text(part) {
      if (isText) value = joined(value ?? '', part)
    },
  })
  return lines
}

// Excel allows 255 characters.
const LONGEST_FORMAT = 1_000
/** True for the id of a built-in date format, which is the same in every file. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

const QUOTES: Record<string, string> = { '"': '"', '[': ']' }

/** Returns a format without its texts: those in quotes or brackets, or after a backslash. */
function withoutTexts(code: string): string {
  let bare = ''
  for (let at = 0; at < code.length; at += 1) {
    const sign = code[at] ?? ''
    const end = QUOTES[sign]
    if (sign === '\\') at += 1
    else if (end === undefined) bare += sign
    else at = (code.indexOf(end, at + 1) + 1 || code.length + 1) - 1
  }
  return bare
}

/** True for `dd/mm/yyyy`, but not for `0.00` or `"Rp" #,##0`. */
function isDateFormat(code: string): boolean {
  const bare = withoutTexts(code.slice(0, LONGEST_FORMAT))
  return /[dmyhs]/i.test(bare) && !/[0#?]/.test(bare)
}

// Excel's last day is 31 December 9999.
const LAST_DAY = 2_958_465
const EPOCH = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }

/**
 * Returns a function that formats a serial number as a day, a time or both; undefined for a number
 * that Excel shows as #####. The formats are created once, because creating one takes longer than
 * formatting a hundred dates.
 */
function dateTexts(from1904: boolean, language: string): (serial: number) => string | undefined {
  const format = (style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' })
  const time = format({ timeStyle: 'short' })
  const day = format({ dateStyle: 'long' })
  const both = format({ dateStyle: 'long', timeStyle: 'short' })
  return (serial) => {
    if (!(serial >= 0 && serial < LAST_DAY + 1)) return undefined
    const at = (from1904 ? EPOCH.from1904 : EPOCH.from1900) + Math.round(serial * DAY)
    return (serial < 1 ? time : serial % 1 === 0 ? day : both).format(at)
  }
}
