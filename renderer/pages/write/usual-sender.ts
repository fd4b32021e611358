import type { SenderView } from '../../../server/contract/senders.ts'

/**
 * Returns the sender that wrote last to the customer, else one that is connected, else the first.
 * Never the sandbox: the owner would believe that the customer gets the message.
 */
export function usualSender(choices: readonly SenderView[], last: string | undefined): SenderView | undefined {
  const real = choices.filter(({ kind }) => kind !== 'sandbox')
  return (
    real.find(({ sender_code }) => sender_code === last) ?? real.find(({ state }) => state === 'connected') ?? real[0]
  )
}
