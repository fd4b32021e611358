import type { SenderView } from '../../../server/contract/senders.ts'

/**
 * The sender that wrote last to the customer, else one that is connected. Never the sandbox: who
 * writes to a customer would believe that it was sent.
 */
export function usualSender(choices: readonly SenderView[], last: string | undefined): SenderView | undefined {
  const real = choices.filter(({ kind }) => kind !== 'sandbox')
  return (
    real.find(({ sender_code }) => sender_code === last) ?? real.find(({ state }) => state === 'connected') ?? real[0]
  )
}
