export interface Span {
  text: string
  bold: boolean
  wide: boolean
  tall: boolean
}

export interface Line {
  align: 'left' | 'centre' | 'right'
  spans: Span[]
}

// A command may name any position, and a line may have any length.
const MOST_COLUMNS = 256
const MOST_BLANK_LINES = 2
/** Width of one character of the standard font, in dots. */
export const DOTS = 12
const EVERY_TAB = 8

const NORMAL = { bold: false, wide: false, tall: false }

export const textOf = ({ spans }: Line): string => spans.map(({ text }) => text).join('')

/** Returns the width in columns of the standard font. */
export const widthOf = (text: string, wide: boolean): number => text.length * (wide ? 2 : 1)

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)
const withoutControls = (text: string): string =>
  [...text].filter((letter) => !isControl(letter.charCodeAt(0))).join('')

export type Paper = ReturnType<typeof createPaper>

/** Models the paper: takes text and layout commands, and returns the printed lines. */
export function createPaper() {
  const done: Line[] = []
  let style = NORMAL
  let align: Line['align'] = 'left'
  let stops: number[] = []
  let spans: Span[] = []
  let column = 0
  let blank = 0
  /**
   * True after a CR without a feed. The same text printed over a line is bold, not a second line.
   */
  let again = false

  function put(text: string): void {
    const last = spans.at(-1)
    if (last !== undefined && last.bold === style.bold && last.wide === style.wide && last.tall === style.tall)
      last.text += text
    else spans.push({ text, ...style })
    column += widthOf(text, style.wide)
  }

  function endLine(): void {
    const line = { align, spans: trimmed(spans) }
    ;[spans, column] = [[], 0]
    const text = textOf(line)
    const last = done.at(-1)
    const isSecond = again && last !== undefined && textOf(last) === text
    again = false
    if (isSecond) return
    blank = text === '' ? blank + 1 : 0
    if (blank <= MOST_BLANK_LINES) done.push(line)
  }

  const moveTo = (wanted: number) => {
    const missing = Math.min(wanted, MOST_COLUMNS) - column
    if (missing > 0) put(' '.repeat(Math.ceil(missing / (style.wide ? 2 : 1))))
  }

  return {
    print(text: string): void {
      const letters = withoutControls(text)
      for (let at = 0; at < letters.length; ) {
        if (column >= MOST_COLUMNS) endLine()
        const part = letters.slice(at, at + Math.ceil((MOST_COLUMNS - column) / (style.wide ? 2 : 1)))
        put(part)
        at += part.length
      }
    },
    endLine,
    printAgain(): void {
      if (spans.length === 0) return
      endLine()
      again = true
    },
    tab(): void {
      moveTo(stops.find((stop) => stop > column) ?? (Math.floor(column / EVERY_TAB) + 1) * EVERY_TAB)
    },
    moveTo,
    moveBy: (columns: number) => {
      // Distances are signed 16-bit numbers: ignore moves to the left.
      if (columns * DOTS < 32_768) moveTo(column + columns)
    },
    tabStops: (wanted: number[]) => {
      stops = wanted
    },
    /** Ends the current line and feeds `lines` lines in all. */
    feed(lines: number): void {
      if (spans.length > 0) endLine()
      for (let i = 1; i < Math.min(lines, MOST_BLANK_LINES + 1); i += 1) endLine()
    },
    ownLine(text: string): void {
      if (spans.length > 0) endLine()
      put(withoutControls(text))
      endLine()
    },
    style: (change: Partial<typeof NORMAL>) => {
      style = { ...style, ...change }
    },
    align: (n: number) => {
      align = n === 1 || n === 49 ? 'centre' : n === 2 || n === 50 ? 'right' : 'left'
    },
    reset: () => {
      ;[style, align, stops] = [NORMAL, 'left', []]
    },
    /** Returns all lines without blank lines at both ends. */
    lines(): Line[] {
      if (spans.length > 0) endLine()
      const isEmpty = (line: Line) => line.spans.length === 0
      const first = done.findIndex((line) => !isEmpty(line))
      const last = done.findLastIndex((line) => !isEmpty(line))
      return first < 0 ? [] : done.slice(first, last + 1)
    },
  }
}

/** Removes trailing spaces. */
function trimmed(spans: Span[]): Span[] {
  const kept = [...spans]
  for (let last = kept.at(-1); last !== undefined; last = kept.at(-1)) {
    const text = last.text.trimEnd()
    if (text !== '') return [...kept.slice(0, -1), { ...last, text }]
    kept.pop()
  }
  return kept
}

/** Columns of the usual paper widths, 58 and 80 mm. */
const PAPERS = [32, 42, 48] as const

export const columnsOf = (lines: readonly Line[]): number => {
  const longest = lines.reduce((most, line) => Math.max(most, widthOfLine(line)), 0)
  return PAPERS.find((columns) => longest <= columns) ?? longest
}

const widthOfLine = ({ spans }: Line): number => spans.reduce((sum, { text, wide }) => sum + widthOf(text, wide), 0)

/** Returns the number of columns before a centred or right-aligned line. */
export const indentOf = (line: Line, columns: number): number => {
  const rest = columns - widthOfLine(line)
  return line.align === 'left' ? 0 : line.align === 'right' ? rest : Math.floor(rest / 2)
}

export function printedLines(lines: readonly Line[]): string[] {
  const columns = columnsOf(lines)
  return lines.map((line) => (line.spans.length === 0 ? '' : ' '.repeat(indentOf(line, columns)) + textOf(line)))
}

const SEPARATOR_WIDTH = 20

/**
 * Returns a receipt as a message. A phone has no columns, so lines of dashes are shortened to fit
 * one line, and wide gaps become two spaces.
 */
export const messageText = (lines: readonly Line[]): string =>
  lines
    .map((line) => {
      const text = textOf(line).trim()
      const [first = ''] = text
      const isSeparator = text.length > SEPARATOR_WIDTH && text === first.repeat(text.length / first.length)
      return isSeparator ? first.repeat(SEPARATOR_WIDTH) : text.replaceAll(/ {3,}/g, '  ')
    })
    .join('\n')
