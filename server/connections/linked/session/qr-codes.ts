import {
  type AuthenticationCreds,
  type BinaryNode,
  buildPairingQRData,
  S_WHATSAPP_NET,
  type WABrowserDescription,
  type WASocket,
} from 'baileys'
import type { Logger } from '../../../lib/logger.ts'

const PAIR_DEVICE = 'CB:iq,type:set,pair-device'

/**
 * Takes the place of the library, whose own clock would end the line when its codes have run out,
 * also in the middle of a passkey's ceremony.
 */
export function answerPairDevice(
  sock: WASocket,
  {
    creds,
    browser,
    logger,
    onCodes,
  }: {
    creds: AuthenticationCreds
    browser: WABrowserDescription
    logger: Logger
    onCodes: (codes: string[]) => void
  },
): void {
  sock.ws.removeAllListeners(PAIR_DEVICE)
  sock.ws.on(PAIR_DEVICE, (node: BinaryNode) => {
    sock
      .sendNode({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', id: node.attrs.id ?? '' } })
      .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be told that codes are shown'))
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    )
    const [noise = '', identity = ''] = keys
    onCodes(refsIn(node).map((ref) => buildPairingQRData(ref, noise, identity, creds.advSecretKey, browser)))
  })
}

function refsIn({ content }: BinaryNode): string[] {
  const [pairDevice] = Array.isArray(content) ? content : []
  const refs = Array.isArray(pairDevice?.content) ? pairDevice.content : []
  return refs.flatMap(({ tag, content: ref }) =>
    tag === 'ref' && ref instanceof Uint8Array ? [`${Buffer.from(ref)}`] : [],
  )
}
