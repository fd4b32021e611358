import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'

// The owner waits for the answer, or a queue does.
const ANSWER_MS = 5_000

const ask = (sock: WASocket, attrs: Record<string, string>, content: BinaryNode[]) =>
  sock.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, ...attrs }, content }, ANSWER_MS)

/** Whether anybody is at the other end. */
export async function isAlive(sock: WASocket): Promise<boolean> {
  const answer = await ask(sock, { type: 'get', xmlns: 'w:p' }, []).catch(() => undefined)
  return answer !== undefined
}

/** Takes this PC off the phone's list of linked devices. The library's own logout hangs up before WhatsApp has heard it. */
export async function askToForget(sock: WASocket): Promise<void> {
  const jid = sock.user?.id ?? ''
  await ask(sock, { type: 'set', xmlns: 'md' }, [
    { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } },
  ])
}
