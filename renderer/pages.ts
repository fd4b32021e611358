import { type ComponentType, lazy } from 'react'

/** The page itself could not be loaded: the server does not answer, or has been updated since. */
export class PageNotLoaded extends Error {}

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

const loads: (() => Promise<unknown>)[] = []

function page<Props>(load: Load<Props>) {
  loads.push(load)
  return lazy(() =>
    load().catch((cause: unknown) => {
      throw new PageNotLoaded('a page could not be loaded', { cause })
    }),
  )
}

export const PAGES = {
  overview: page(() => import('./pages/overview/overview.tsx')),
  senders: page(() => import('./pages/senders/senders.tsx')),
  linkSender: page(() => import('./pages/senders/link-sender.tsx')),
  messages: page(() => import('./pages/messages/messages.tsx')),
  apiMessageLogs: page(() => import('./pages/api-message-logs/api-message-logs.tsx')),
  webhooks: page(() => import('./pages/webhooks/webhooks.tsx')),
  keys: page(() => import('./pages/keys/keys.tsx')),
  optOuts: page(() => import('./pages/opt-outs/opt-outs.tsx')),
  refusedCalls: page(() => import('./pages/refused-calls/refused-calls.tsx')),
  tryIt: page(() => import('./pages/try-it/try-it.tsx')),
  customers: page(() => import('./pages/customers/customers.tsx')),
  customer: page(() => import('./pages/customers/customer.tsx')),
  month: page(() => import('./pages/month/month.tsx')),
  slip: page(() => import('./pages/slip/slip.tsx')),
  settings: page(() => import('./pages/settings/settings.tsx')),
  welcome: page(() => import('./pages/welcome/welcome.tsx')),
}

/** After what the first page asked for has come: no page that is not looked at takes its time (milliseconds). */
const AFTER_FIRST_PAGE = 1_500

/** Loads every page, one after the other while the browser has nothing else to do: each opens even while the server is away. */
export function prefetchPages(): void {
  // Safari has no idle callbacks.
  const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200))
  const rest = [...loads]
  function next() {
    const load = rest.shift()
    // One that fails is loaded again when it is opened.
    if (load !== undefined)
      void load().then(
        () => whenIdle(next),
        () => whenIdle(next),
      )
  }
  setTimeout(() => whenIdle(next), AFTER_FIRST_PAGE)
}
