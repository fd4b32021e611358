import type { ServerResponse } from 'node:http'
import { type DroppedOutcome, type DroppedTable, MOST_TABLE_BYTES } from '../../contract/dropped-tables.ts'
import { emptyAnswer, idParams } from '../../contract/fields.ts'
import type { Language, Settings } from '../../contract/settings.ts'
import { readFile } from '../../http/body.ts'
import { beginCsv, writePages } from '../../http/response.ts'
import { ANSWERED, defineRoute, done, list, ok, type Route } from '../../http/route.ts'
import { isoTime, isoTimeOrNull } from '../../lib/clock.ts'
import { asText, escaped } from '../../lib/csv.ts'
import type { Disposer } from '../../lib/disposer.ts'
import { createTurns } from '../../lib/turns.ts'
import { BOM, separatorIn, spreadsheetTimes } from '../../messages/csv.ts'
import { WORDS } from '../../words/index.ts'
import { say } from '../../words/say.ts'
import type { TableParts } from './context.ts'
import {
  checkAnswer,
  KINDS_SHOWN,
  rowRefusal,
  sendTableRequest,
  tableActionRequest,
  tableAnswer,
  tableHeaders,
  tableLinesAnswer,
  tableLinesQuery,
  tablePlan,
  tablesAnswer,
} from './contract.ts'
import { forgetUnsent, takeDropped } from './dropped.ts'
import { createTablesService, lineView, type Tables } from './service.ts'
import { createTableStore, type TableLine, type TableRow } from './store.ts'

/** Tables that the owner pastes or opens; each row becomes a message. */
export function tables(parts: TableParts, disposer: Disposer) {
  const turns = createTurns<'table'>(() => Number.POSITIVE_INFINITY)
  const stored = createTableStore(parts.messaging.store.statements)
  const context = { ...parts, tables: stored, turns, stopping: new AbortController() }
  const service = createTablesService(context)
  disposer.defer('tables', service.close)
  service.wake()
  return {
    routes: tableRoutes(service, parts.settings),
    named: { path: '/api/tables/', find: async (id: string) => (await stored.find(id))?.name },
    /** Continues tables that were interrupted. */
    wake: service.wake,
    take: (table: DroppedTable): Promise<DroppedOutcome> => takeDropped(context, service, table),
    find: stored.find,
    forget: stored.forget,
    forgetUnsent: (id: string): Promise<boolean> => forgetUnsent(context, id),
  }
}

const owner = { auth: 'owner', tag: 'Tables' } as const
const ofOne = { ...owner, params: idParams } as const
/** Room for as many files as a table has rows, each with name and id. */
const PLAN_BYTES = 2 * 1024 * 1024

const tableRoutes = (tables: Tables, settings: () => Settings): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/tables',
    summary: 'List tables, newest first',
    description: 'Shows the name, size and state of each table.',
    answer: tablesAnswer,
    handler: async () =>
      ok(
        'Tables.',
        (await tables.list()).map(({ id, name, state, columns, rows, createdAt, plannedAt }) => ({
          ...{ id, name, columns, rows },
          state: state === 'going' || state === 'reading' ? ('sending' as const) : state,
          created_at: isoTime(createdAt),
          planned_at: isoTimeOrNull(plannedAt),
        })),
      ),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/tables',
    summary: 'Upload a table',
    description:
      'The request body is the file itself: CSV (separated by commas, semicolons or tabs; in UTF-8, UTF-16 or Windows-1252) or XLSX (first sheet only), with at most 5,000 rows and 60 columns. Nothing is sent yet: each row can become a message later.',
    errors: [409, 422],
    upload: { type: 'application/octet-stream', headers: tableHeaders },
    answer: tableAnswer,
    handler: async ({ req }) => {
      const bytes = await readFile(req, MOST_TABLE_BYTES, 'A table may have 8 MiB.')
      return ok('Table taken.', await tables.create(nameOf(req.headers['x-filename']), bytes, settings().language))
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/tables/{id}',
    summary: 'Get a table',
    description: 'Contains its columns, its state, and the number of rows in each state.',
    errors: [404],
    answer: tableAnswer,
    handler: async ({ params: { id } }) => ok('Table.', await tables.view(id)),
  }),
  defineRoute({
    ...ofOne,
    method: 'DELETE',
    path: '/api/tables/{id}',
    summary: 'Remove a table that has not been sent',
    description: '409 for a table that has been sent: its messages are in the log.',
    errors: [404, 409],
    answer: emptyAnswer,
    handler: ({ params: { id } }) => done('Table removed.', tables.remove(id)),
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/tables/{id}/rows',
    summary: 'List the rows of a table',
    description: 'In the order of the file, with the message and status of each row.',
    errors: [404],
    query: tableLinesQuery,
    inTurn: true,
    answer: tableLinesAnswer,
    handler: async ({ params: { id }, query: { cursor, limit, show } }) => {
      await tables.find(id)
      const lines = await tables.lines(id, Number(cursor ?? 0), limit + 1, show && KINDS_SHOWN[show])
      const shown = lines.slice(0, limit)
      return list(shown.map(lineView), lines.length > shown.length ? String(shown.at(-1)?.row) : null)
    },
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/tables/{id}/check',
    summary: 'Check all rows of a table before sending',
    description: 'Nothing is sent. Rows with a problem are listed with the reason and would be left out.',
    errors: [404],
    body: tablePlan,
    bodyLimit: PLAN_BYTES,
    answer: checkAnswer,
    handler: async ({ params: { id }, body }) => ok('Checked.', await tables.check(id, body)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/tables/{id}/send',
    summary: 'Send a message for each valid row of a table',
    description:
      'Sending starts after ten seconds; until then it can be undone. A 200 means that everything is stored on disk. The messages are queued as those of POST /send, with priority `low`.',
    errors: [404, 409],
    body: sendTableRequest,
    bodyLimit: PLAN_BYTES,
    answer: tableAnswer,
    handler: async ({ params: { id }, body: { count, ...plan } }) =>
      ok('The table is being sent.', await tables.send(id, plan, count)),
  }),
  defineRoute({
    ...ofOne,
    method: 'POST',
    path: '/api/tables/{id}/action',
    summary: 'Undo, pause, resume or cancel a table, or send failed rows again',
    description:
      '`undo` works within ten seconds. `pause` and `cancel` take waiting messages out of the queue: they become `cancelled`. `resume` queues their rows again as new messages. Messages that Kurir has already tried to send stay as they are.',
    errors: [404, 409],
    body: tableActionRequest,
    answer: tableAnswer,
    handler: async ({ params: { id }, body: { action } }) => ok('Done.', await tables.act(id, action)),
  }),
  defineRoute({
    ...ofOne,
    method: 'GET',
    path: '/api/tables/{id}/results.csv',
    summary: 'Export the results of a table as CSV',
    description: 'The CSV file, in UTF-8, contains the columns of the table, then number, status, time and reason.',
    errors: [404],
    answer: 'text/csv',
    handler: async ({ params: { id }, res }) => {
      const table = await tables.find(id)
      beginCsv(res, 'table')
      await writeResults(table, (after, limit) => tables.lines(id, after, limit), settings().language, res)
      return ANSWERED
    },
  }),
]

/** Decodes the name, which is percent-encoded because header values are ASCII. */
function nameOf(header: string | string[] | undefined): string {
  if (typeof header !== 'string') return ''
  try {
    return decodeURIComponent(header).replaceAll('\0', '').slice(0, 120)
  } catch {
    return header.slice(0, 120)
  }
}

const PAGE = 200

/** Writes the table's own columns, followed by the result of each row. */
async function writeResults(
  { columns }: TableRow,
  read: (after: number, limit: number) => Promise<TableLine[]>,
  language: Language,
  res: ServerResponse,
): Promise<void> {
  const separator = separatorIn(language)
  const words = WORDS[language]
  const times = spreadsheetTimes(undefined)
  const line = (cells: string[]) => `${cells.join(separator)}\r\n`
  const { status, since, number, why } = words.columns
  const names = { ...words.statuses, ...words.tableKinds }

  function resultOf({ recipient, refusal, kind, occurredAt, error }: TableLine): string[] {
    if (refusal !== null) {
      const { code, value } = rowRefusal.parse(JSON.parse(refusal))
      return ['', escaped(words.tableKinds.refused), '', escaped(say(words, `tableProblems.${code}`, { value }))]
    }
    const to = recipient === null ? '' : /^\d+$/.test(recipient) ? asText(recipient) : escaped(recipient)
    const at = occurredAt === null ? '' : escaped(times.format(occurredAt))
    return [to, escaped(names[kind]), at, error === null ? '' : escaped(say(words, `failures.${error.code}.message`))]
  }

  let after = 0
  await writePages(res, BOM + line([...columns, number, status, since, why].map(escaped)), async () => {
    const lines = await read(after, PAGE)
    after = lines.at(-1)?.row ?? after
    const text = lines.map((each) =>
      line([...columns.map((_name, at) => escaped(each.cells[at] ?? '')), ...resultOf(each)]),
    )
    return { text: text.join(''), more: lines.length === PAGE }
  })
}
