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
    summary: 'Get the settings and state of the receipt printer',
    description: 'Shows the settings, whether the port is open, and how many receipts wait.',
    answer: printerAnswer,
    handler: async () => ok('Printer port.', await printer.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/printer',
    summary: 'Change the settings of the receipt printer',
    description:
      'Fields that are omitted keep their values. The port is open to programs on this PC only. `sending` requires a sender and a number rule.',
    errors: [409],
    body: updatePrinterRequest,
    answer: printerAnswer,
    handler: async ({ body }) => ok('Saved.', await printer.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/printer/learn',
    summary: 'Set a rule for the phone number or the reference',
    description:
      'Creates the rule from one of the `marks` of a receipt. Kurir uses it to find the value on later receipts.',
    errors: [404, 409],
    body: learnRequest,
    answer: printerAnswer,
    handler: async ({ body }) => ok('Learnt.', await printer.learn(body)),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/prints',
    summary: 'List receipts of the last seven days',
    description: 'Newest first, with the status of each and the reason why it waits.',
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
    summary: 'Get a receipt',
    description: 'Contains its lines, and in `marks` each place that may be a phone number or a reference.',
    errors: [404],
    params: idParams,
    answer: printAnswer,
    handler: async ({ params: { id } }) => ok('Print.', await printer.get(id)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/prints/{id}/send',
    summary: 'Send a waiting receipt',
    description: 'Queues the receipt as a message, which gets the same id as the receipt.',
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
    summary: 'Discard a receipt',
    description: 'A message that was created from the receipt stays.',
    errors: [404],
    params: idParams,
    answer: emptyAnswer,
    handler: ({ params: { id } }) => done('Thrown away.', printer.throwAway(id)),
  }),
]
