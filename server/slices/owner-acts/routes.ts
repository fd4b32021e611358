import type { Language } from '../../contract/settings.ts'
import { beginCsv, writePages } from '../../http/response.ts'
import { ANSWERED, defineRoute, list, type Route } from '../../http/route.ts'
import { escaped } from '../../lib/csv.ts'
import { BOM, separatorIn, spreadsheetTimes } from '../../messages/csv.ts'
import { WORDS } from '../../words/index.ts'
import { type OwnerActs, viewOf } from './acts.ts'
import { ownerActsAnswer, ownerActsExportQuery, ownerActsQuery } from './contract.ts'
import { detailText, wordsOf } from './named.ts'
import type { OwnerActRow } from './store.ts'

const PAGE = 500
const owner = { auth: 'owner', tag: 'Operation' } as const

export const ownerActRoutes = (acts: OwnerActs, language: () => Language): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/owner-acts',
    summary: 'List what owners did, newest first',
    description:
      'Changes by the window, the command line, a program with the owner’s token, or the tray: kept for a year, at most 20,000. Messages that an owner sends stand under messages. No secrets, no texts.',
    query: ownerActsQuery,
    answer: ownerActsAnswer,
    handler: async ({ query: { cursor, limit } }) => {
      const rows = await acts.list(cursor === undefined ? undefined : Number(cursor), limit + 1)
      const shown = rows.slice(0, limit)
      const words = WORDS[language()]
      const next = rows.length > shown.length ? String(shown.at(-1)?.seq) : null
      return list(await Promise.all(shown.map(async (row) => viewOf(row, await acts.messageOf(row), words))), next)
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/owner-acts/export.csv',
    summary: 'Download what owners did, as a table',
    description: 'The whole list, in the language, time and separator of a spreadsheet.',
    query: ownerActsExportQuery,
    answer: 'text/csv',
    handler: async ({ query, res }) => {
      beginCsv(res, 'owner-acts')
      const table = tableFor(query.language ?? language(), query.time_zone)
      let before: number | undefined
      await writePages(res, table.head, async () => {
        const rows = await acts.list(before, PAGE)
        before = rows.at(-1)?.seq
        return { text: rows.map(table.line).join(''), more: rows.length === PAGE }
      })
      return ANSWERED
    },
  }),
]

function tableFor(language: Language, timeZone: string | undefined) {
  const separator = separatorIn(language)
  const words = WORDS[language]
  const times = spreadsheetTimes(timeZone)
  const line = (cells: (string | null)[]) => `${cells.map(escaped).join(separator)}\r\n`
  return {
    head: BOM + line(Object.values(words.actColumns)),
    line: ({ at, actedBy, browser, address, act, thing, details, done }: OwnerActRow) =>
      line([
        times.format(at),
        words.actedBy[actedBy],
        [browser, address].filter((part) => part !== null).join(', '),
        wordsOf(words.acts, act),
        thing,
        details.map((detail) => detailText(words, detail)).join(', '),
        done ? '' : words.actNotKnown,
      ]),
  }
}
