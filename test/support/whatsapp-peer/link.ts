import { randomBytes } from 'node:crypto'
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode, type proto } from 'baileys'
import * as tokens from 'baileys/lib/WABinary/constants.js'
import type { WebSocket } from 'ws'
import type { ServerIdentity } from './certificate.ts'
import { createFrameReader, toFrame } from './frames.ts'
import { answerHello } from './handshake.ts'
import type { Cipher } from './noise.ts'

export interface Hello {
  payload: proto.ClientPayload
  noiseKey: Buffer
}

export interface LinkEvents {
  identity: ServerIdentity
  /** Runs the work now, or after a freeze. */
  gate(work: () => void): void
  onHello(link: Link, hello: Hello): void
  onStanza(link: Link, stanza: BinaryNode): void
  onClose(link: Link): void
}

/** A client's connection, above Noise and frames. */
export interface Link {
  readonly number: number
  readonly isOpen: boolean
  send(node: BinaryNode): void
  /**
   * Sends a query of the server. Resolves with the client's answer; rejects if the connection
   * closes first.
   */
  ask(node: BinaryNode): Promise<BinaryNode>
  /** Sends a last stanza and hangs up, as WhatsApp does after a stream error. */
  end(node: BinaryNode): void
  /** Sends a frame that cannot be decrypted. */
  garble(): void
  /** Sends any bytes in place of a stanza. */
  sendBytes(bytes: Uint8Array): void
  /** Drops the connection; data that was sent before still arrives. */
  cut(): void
}

export function createLink(number: number, socket: WebSocket, events: LinkEvents): Link {
  let handshake: ReturnType<typeof answerHello> | undefined
  let ciphers: { incoming: Cipher; outgoing: Cipher } | undefined
  const asked = new Map<string, PromiseWithResolvers<BinaryNode>>()

  // After hanging up, the server ignores what is still in its buffers.
  let over = false

  const write = (bytes: Uint8Array, after?: () => void) => {
    const frame = toFrame(bytes)
    events.gate(() => socket.send(frame, after))
  }
  const writeSealed = (bytes: Uint8Array, after?: () => void) => {
    if (ciphers && !over) write(ciphers.outgoing.seal(bytes), after)
  }
  const writeStanza = (node: BinaryNode, after?: () => void) => writeSealed(encodeBinaryNode(node), after)

  const link: Link = {
    number,
    get isOpen() {
      return !over
    },
    send: (node) => writeStanza(node),
    ask(node) {
      const answer = Promise.withResolvers<BinaryNode>()
      asked.set(String(node.attrs.id), answer)
      writeStanza(node)
      return answer.promise
    },
    end(node) {
      writeStanza(node, () => socket.close())
      over = true
    },
    garble: () => write(randomBytes(64)),
    sendBytes: (bytes) => writeSealed(bytes),
    cut() {
      over = true
      events.gate(() => socket.terminate())
    },
  }

  const onStanza = (node: BinaryNode) => {
    const answer = node.tag === 'iq' ? asked.get(String(node.attrs.id)) : undefined
    if (!answer) return events.onStanza(link, node)
    asked.delete(String(node.attrs.id))
    answer.resolve(node)
  }

  const read = createFrameReader((frame) => {
    if (over) return
    if (ciphers) {
      // The first byte marks a compressed stanza, which only servers send.
      onStanza(decodeDecompressedBinaryNode(ciphers.incoming.open(frame).subarray(1), tokens))
    } else if (handshake) {
      const { clientPayload, clientStatic, incoming, outgoing } = handshake.finish(frame)
      ciphers = { incoming, outgoing }
      events.onHello(link, { payload: clientPayload, noiseKey: clientStatic })
    } else {
      handshake = answerHello(frame, events.identity)
      write(handshake.reply)
    }
  })

  socket.on('message', (data: Buffer) => events.gate(() => read(data)))
  // A client that dies in the middle of a frame counts as closed normally.
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    over = true
    for (const answer of asked.values()) answer.reject(new Error('the client hung up'))
    events.onClose(link)
  })
  return link
}
