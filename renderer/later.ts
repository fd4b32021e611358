/**
 * The pages that a window does not begin with: one script, fetched once the first page is there.
 */
export { default as ApiMessageLogs } from './pages/api-message-logs/api-message-logs.tsx'
export { default as Customer } from './pages/customers/customer.tsx'
export { default as Customers } from './pages/customers/customers.tsx'
export { default as Keys } from './pages/keys/keys.tsx'
export { default as Messages } from './pages/messages/messages.tsx'
export { default as Month } from './pages/month/month.tsx'
export { default as Nodes } from './pages/nodes/nodes.tsx'
export { default as OptOuts } from './pages/opt-outs/opt-outs.tsx'
export { default as RefusedCalls } from './pages/refused-calls/refused-calls.tsx'
export { default as LinkSender } from './pages/senders/link-sender.tsx'
export { default as Senders } from './pages/senders/senders.tsx'
export { default as Settings } from './pages/settings/settings.tsx'
export { default as Slip } from './pages/slip/slip.tsx'
export { default as Webhooks } from './pages/webhooks/webhooks.tsx'
export { default as Welcome } from './pages/welcome/welcome.tsx'
export { default as Write } from './pages/write/write.tsx'
