import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface Mail {
  from: string
  to: string[]
  /** Header lines, a blank line and the body, as received. */
  data: string
}

interface Options {
  /** Requires AUTH PLAIN with these credentials before a mail (RFC 4954). */
  login?: { user: string; password: string }
  /** Sends a greeting that never ends. */
  drips?: boolean
}

/** Starts a mail server on 127.0.0.1 that enforces the order of RFC 5321 and, if given, a login. */
export async function startSmtpPeer({ login, drips = false }: Options = {}) {
  const mails: Mail[] = []
  const sockets = new Set<Socket>()
  const connected = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    connected.resolve()
    if (drips) socket.write('220-wait\r\n')
    else void serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })

  async function serve(socket: Socket): Promise<void> {
    const say = (line: string) => void socket.write(`${line}\r\n`)
    let greeted = false
    let allowed = login === undefined
    let mail: Mail | null = null
    let inData = false
    say('220 peer.test ESMTP')
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (inData && mail !== null) {
        if (line === '.') {
          inData = false
          mails.push(mail)
          mail = null
          say('250 2.0.0 taken')
        } else mail.data += `${line.replace(/^\.\./, '.')}\n`
        continue
      }
      const [verb = '', ...rest] = line.split(' ')
      const argument = rest.join(' ')
      switch (verb.toUpperCase()) {
        case 'EHLO':
          greeted = true
          say('250-peer.test')
          if (login !== undefined) say('250-AUTH PLAIN')
          say('250 8BITMIME')
          break
        case 'AUTH': {
          const [, user, password] = Buffer.from(argument.replace(/^PLAIN /, ''), 'base64')
            .toString()
            .split('\0')
          allowed = user === login?.user && password === login?.password
          say(allowed ? '235 2.7.0 welcome' : `535 5.7.8 ${password} is wrong`)
          break
        }
        case 'MAIL':
          if (!greeted || mail !== null) say('503 5.5.1 bad sequence of commands')
          else if (!allowed) say('530 5.7.0 authentication required')
          else {
            mail = { from: /<(.*)>/.exec(argument)?.[1] ?? '', to: [], data: '' }
            say('250 2.1.0 ok')
          }
          break
        case 'RCPT':
          mail?.to.push(/<(.*)>/.exec(argument)?.[1] ?? '')
          say(mail === null ? '503 5.5.1 bad sequence of commands' : '250 2.1.5 ok')
          break
        case 'DATA':
          inData = mail !== null && mail.to.length > 0
          say(inData ? '354 go on' : '503 5.5.1 bad sequence of commands')
          break
        case 'QUIT':
          say('221 2.0.0 bye')
          socket.end()
          break
        default:
          say('500 5.5.2 unknown')
      }
    }
  }

  return { port: (server.address() as AddressInfo).port, mails, connected: connected.promise }
}
