import { type Language, LOCALES } from '../../contract/settings.ts'
import { decodeText } from '../../lib/charset.ts'
import { asWritten, readCsvRecord, separatorOf } from '../../lib/csv.ts'
import { hasNames } from '../../lib/phone-column.ts'
import { TableRefused } from './refused.ts'
import { readSheet, type SheetBounds, type SheetLine } from './xlsx.ts'

/** In UTF-16 units. */
const LONGEST_CELL = 4096

export interface ReadTable {
  columns: string[]
  /** Header line; null: none. */
  names: SheetLine | null
  lines: SheetLine[]
}

const isArchive = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b

/** Reads a table from an XLSX file or from text with separators. @throws TableRefused */
export function readTable(bytes: Uint8Array, language: Language, bounds: SheetBounds): ReadTable {
  const read = isArchive(bytes) ? readSheet(bytes, bounds, LOCALES[language]) : readText(bytes, bounds)
  const found = read.map(({ line, cells }) => ({ line, cells: cells.map(asWritten) }))
  const [first] = found
  if (first === undefined) throw new TableRefused('empty')
  const names = hasNames(first.cells) ? first : null
  const lines = names === null ? found : found.slice(1)
  if (lines.length === 0) throw new TableRefused('empty')
  if (lines.length > bounds.rows) throw new TableRefused('too_many_rows')
  const count = Math.max(...found.map(({ cells }) => cells.length))
  let left = bounds.text
  for (const { cells } of found)
    for (const cell of cells) {
      left -= cell.length
      if (left < 0 || cell.length > LONGEST_CELL) throw new TableRefused('too_large')
    }
  return { columns: columnNames(names?.cells ?? null, count, language), names, lines }
}

function readText(bytes: Uint8Array, bounds: SheetBounds): SheetLine[] {
  const text = textOf(bytes)
  if (text.includes('\0')) throw new TableRefused('not_a_table')
  const separator = separatorOf(text)
  const found: SheetLine[] = []
  // A first line such as `sep=;` names the separator and is no row.
  const start = /^sep=.\r?\n/i.exec(text)?.[0].length ?? 0
  let line = start === 0 ? 1 : 2
  for (let at = start; at < text.length; ) {
    const { cells, next, lines } = readCsvRecord(text, at, separator)
    while (cells.at(-1)?.trim() === '') cells.pop()
    if (cells.length > bounds.columns) throw new TableRefused('too_many_columns')
    if (cells.length > 0) found.push({ line, cells })
    // The header line may come on top of the rows.
    if (found.length > bounds.rows + 1) throw new TableRefused('too_many_rows')
    at = next
    line += lines
  }
  return found
}

/** Decodes a file. Spreadsheets save "Unicode text" as UTF-16 with a byte order mark. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeText(bytes, 'utf-16le').text
  return decodeText(bytes, undefined).text.replace(/^\ufeff/, '')
}

const UNNAMED: Record<Language, string> = { en: 'column', id: 'kolom' }

/** Returns unique column names that can stand in braces in a text. */
function columnNames(first: readonly string[] | null, count: number, language: Language): string[] {
  const names: string[] = []
  for (let at = 0; at < count; at += 1) {
    const written = (first?.[at] ?? '').replace(/[^\p{L}\p{N}_ .-]/gu, ' ').replace(/\s+/g, ' ')
    const base = [...written.replace(/^[ .-]+/, '')].slice(0, 36).join('').trim() || `${UNNAMED[language]} ${at + 1}`
    let name = base
    for (let again = 2; names.some((known) => spelt(known) === spelt(name)); again += 1) name = `${base} ${again}`
    names.push(name)
  }
  return names
}

const spelt = (name: string): string => name.trim().toLowerCase()
