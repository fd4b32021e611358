import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from '../../server/contract/events.ts'
import type { MessageFilters } from './message-filters.ts'

/** All keys of the cache. A key also stands for all longer keys that begin with it. */
export const queryKeys = {
  settings: ['settings'],
  alarms: ['alarms'],
  backupPlan: ['backup-plan'],
  dropFolder: ['drop-folder'],
  emergencySheet: ['emergency-sheet'],
  sessions: ['sessions'],
  nodes: ['nodes'],
  ownerActs: ['owner-acts'],
  suppressions: ['suppressions'],
  texts: ['texts'],
  printer: ['printer'],
  prints: ['prints'],
  printList: (status?: string) => ['prints', status] as const,
  print: (id: string) => ['print', id] as const,
  everyPrint: ['print'],
  tables: ['tables'],
  table: (id: string) => ['tables', id] as const,
  tableRows: (id: string, show?: string) => ['tables', id, 'rows', show] as const,
  found: (words: string) => ['customers', 'found', words] as const,
  lastTo: (phone: string) => ['customers', 'last', phone] as const,
  suppressionList: (phone?: string) => ['suppressions', phone] as const,
  refusedCalls: ['refused-calls'],
  refusedGroups: ['refused-calls', 'groups'],
  refusedCallsOf: (group: string) => ['refused-calls', group] as const,
  knownPrograms: ['refused-calls', 'programs'],
  overview: ['overview'],
  senders: ['senders'],
  apiKeys: ['keys'],
  webhooks: ['webhooks'],
  webhookFormats: ['webhook-formats'],
  templates: ['templates'],
  templatesOf: (senderCode: string) => ['templates', senderCode] as const,
  groupsOf: (senderCode: string) => ['groups', senderCode] as const,
  messages: ['messages'],
  messageList: (filters: MessageFilters) => ['messages', filters] as const,
  message: (id: string) => ['message', id] as const,
  everyMessage: ['message'],
  customer: (phone: string) => ['customers', phone] as const,
  customers: ['customers'],
  summary: (month: string) => ['summary', month] as const,
  pricing: ['pricing'],
  pricingOf: (month: string) => ['pricing', month] as const,
  deliveries: ['deliveries'],
  deliveryList: (filters: Record<string, string | undefined>) => ['deliveries', filters] as const,
  delivery: (id: string) => ['delivery', id] as const,
  everyDelivery: ['delivery'],
  loginItem: ['desktop', 'login'],
  update: ['desktop', 'update'],
} as const

/** Keys of the data that is read before the first page is drawn. */
export const FIRST_READ: readonly QueryKey[] = [queryKeys.settings, queryKeys.overview, queryKeys.senders]

/** Subject of a change: a topic of the live stream, or one that the stream does not report. */
export type Topic =
  | LiveEvent['type']
  | 'key'
  | 'session'
  | 'suppression'
  | 'text'
  | 'table'
  | 'print'
  | 'node'
  | 'refused'
  | 'prices'

/** Data to read again after a change. Message rows come with their events, see live.ts. */
const STALE: Record<Topic, readonly QueryKey[]> = {
  message: [queryKeys.customers, queryKeys.overview, queryKeys.senders, queryKeys.deliveries, queryKeys.webhooks],
  sender: [queryKeys.senders, queryKeys.overview, queryKeys.templates],
  webhook: [
    queryKeys.webhooks,
    queryKeys.deliveries,
    queryKeys.everyDelivery,
    queryKeys.everyMessage,
    queryKeys.overview,
  ],
  settings: [queryKeys.settings, queryKeys.overview, queryKeys.webhookFormats],
  key: [queryKeys.apiKeys],
  session: [queryKeys.sessions],
  refused: [queryKeys.refusedCalls, queryKeys.overview, queryKeys.settings],
  node: [queryKeys.nodes, queryKeys.overview],
  suppression: [queryKeys.suppressions, queryKeys.customers],
  text: [queryKeys.texts],
  table: [queryKeys.tables],
  print: [queryKeys.printer, queryKeys.prints, queryKeys.everyPrint, queryKeys.overview],
  prices: [queryKeys.pricing],
}

const staleKeys = (topics: Iterable<Topic>) => [...new Set([...topics].flatMap((topic) => STALE[topic]))]

/** Reads again what a change in this window made stale. Resolves when the shown data is fresh. */
export async function refresh(client: QueryClient, topics: Iterable<Topic>): Promise<void> {
  await Promise.all(staleKeys(topics).map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** Reads again what live events made stale. */
export function follow(client: QueryClient, topics: Iterable<Topic>): void {
  for (const queryKey of staleKeys(topics)) readAgain(client, queryKey)
}

/** Queries that are being read and will be read once more afterwards. */
const followed = new WeakSet<Query>()

/**
 * Reads a query again, but lets a running read finish first. In a busy hour with constant events,
 * cancelled reads would never come to an end.
 */
export function readAgain(client: QueryClient, queryKey: QueryKey): void {
  for (const query of client.getQueryCache().findAll({ queryKey })) {
    if (followed.has(query)) continue
    const again = () => {
      followed.delete(query)
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false })
    }
    if (query.state.fetchStatus !== 'fetching') again()
    else {
      followed.add(query)
      query.promise?.then(again, again)
    }
  }
}
