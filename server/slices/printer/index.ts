import { emptyAnswer, idParams } from '../../contract/fields.ts'
import { defineRoute, done, list, ok, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Disposer } from '../../lib/disposer.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MessageContext } from '../../messages/context.ts'
import {
  learnRequest,
  printAnswer,
  printerAnswer,
  printsAnswer,
  printsQuery,
  sendPrintRequest,
  updatePrinterRequest,
} from './contract.ts'
import { createPrinter, type Printer, printerConcerns } from './printer.ts'

/** A printer port on this PC: each receipt that a till prints to it becomes a message. */
export function printerPort(messaging: MessageContext, clock: Clock, logger: Logger, disposer: Disposer) {
  const printer = createPrinter(messaging, clock, logger)
  disposer.defer('printer port', printer.close)
  return { routes: printerRoutes(printer), concerns: async () => printerConcerns(await printer.facts()) }
}

const owner = { auth: 'owner', tag: 'Receipt printer' } as const

const printerRoutes = (printer: Printer): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/printer',
    summary: 'Read the printer port',
    description: 'Its settings, and whether it is open.',
    answer: printerAnswer,
    handler: async () => ok('Printer port.', await printer.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/printer',
    summary: 'Change the printer port',
    description: 'It is open to programs of this PC alone. `sending` needs a sender and a rule for the number.',
    errors: [409],
    body: updatePrinterRequest,
    answer: printerAnswer,
    handler: async ({ body }) => ok('Saved.', await printer.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/printer/learn',
    summary: 'Learn where the number or the reference stands',
    description: 'From one of the `marks` of a print. Prints that come later are read by it.',
    errors: [404, 409],
    body: learnRequest,
    answer: printerAnswer,
    handler: async ({ body }) => ok('Learnt.', await printer.learn(body)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/prints',
    summary: 'List prints of the last seven days',
    description: 'Newest first, with the state and the reason of each.',
    query: printsQuery,
    answer: printsAnswer,
    handler: async ({ query: { limit, cursor, status } }) => {
      const rows = await printer.list({ limit, status, before: cursor === undefined ? undefined : Number(cursor) })
      return list(
        rows.map(({ seq: _seq, ...row }) => row),
        rows.length === limit ? String(rows.at(-1)?.seq) : null,
      )
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/prints/{id}',
    summary: 'Read one print',
    description: 'Its lines, and in `marks` each place that may be a number.',
    errors: [404],
    params: idParams,
    answer: printAnswer,
    handler: async ({ params: { id } }) => ok('Print.', await printer.get(id)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/prints/{id}/send',
    summary: 'Send a print that waits',
    description: 'Its message has the id of the print.',
    errors: [404, 409, 422],
    params: idParams,
    body: sendPrintRequest,
    answer: emptyAnswer,
    handler: ({ params: { id }, body }) => done('Print queued.', printer.send(id, body)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/prints/{id}',
    summary: 'Discard a print',
    description: 'A message that was made of it stays.',
    errors: [404],
    params: idParams,
    answer: emptyAnswer,
    handler: ({ params: { id } }) => done('Thrown away.', printer.throwAway(id)),
  }),
]
