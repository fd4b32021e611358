import type { GroupControl } from '../support/whatsapp-peer/index.ts'
import type { DrillShop } from './shop.ts'
import type { Chapter } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const numbers = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`)

const STAFF = numbers('62815000', 3)

const customerOf = ({ peer }: DrillShop, number = '') => peer.recipient(number)

/** Everything that comes to a number beside answers of customers, once. */
async function postAllKinds(shop: DrillShop, number: string): Promise<void> {
  const [friend, { phone }] = [customerOf(shop, number), shop]
  friend.postStatus()
  friend.postStatusStanza()
  friend.postUnheardOf()
  friend.postToGroup()
  friend.postToChannel()
  friend.sendToBot()
  friend.sendUnreadable(Buffer.alloc(64, 7))
  friend.sendFromElsewhere()
  for (const how of ['by LID', 'by number', 'by number and LID', 'to a bot'] as const) {
    await phone.write(number, { conversation: 'Sudah kami kirim.' }, how)
  }
}

/** A day in which everything happens that can happen to a shop with so many customers. */
export function dayOf(customerCount: number): Chapter[] {
  const customers = numbers('62812000', customerCount)
  const [first = '', second = '', third = ''] = customers
  let kitchen: GroupControl | undefined
  const writeToKitchen = async (shop: DrillShop, text: string) => {
    if (kitchen !== undefined) await shop.sendToGroup(text, kitchen)
  }
  return [
    {
      at: 0,
      title: 'the number is linked by a passkey; its chats come while the first invoices wait',
      async play(shop) {
        kitchen = shop.peer.group('Dapur', { members: [STAFF[0] ?? '', shop.phone.number, ...STAFF.slice(1)] })
        for (const number of customers) customerOf(shop, number).demandsToken = true
        for (const number of customers) customerOf(shop, number).issueToken(shop.phone.number)
        shop.phone.knows(...customers)
        shop.asksForPasskey()
        await shop.link()
        await shop.send('invoices after the link', 'known', customers)
      },
    },
    {
      at: HOUR,
      title: 'customers write, post statuses, and write elsewhere; the owner writes on the phone',
      async play(shop) {
        for (const number of customers) await shop.customer(number)
        await postAllKinds(shop, first)
        await shop.quiet()
        await shop.send('answers', 'known', customers)
        // An answer that is owed would end the line after fifty minutes.
        await shop.pass(55 * MINUTE)
      },
    },
    {
      at: 2 * HOUR,
      title: 'the kitchen is told; one leaves, one has a new phone, its addressing changes',
      async play(shop) {
        await writeToKitchen(shop, 'kitchen opens')
        await shop.allLeft()
        kitchen?.remove(STAFF[2] ?? '')
        customerOf(shop, STAFF[1]).reinstall()
        await shop.quiet()
        await writeToKitchen(shop, 'kitchen goes on')
        await shop.allLeft()
        // No member's retry is under way when the addressing changes.
        await shop.quiet()
        kitchen?.setForm('pn')
        await writeToKitchen(shop, 'kitchen by number')
      },
    },
    {
      at: 3 * HOUR,
      title: 'the line is cut before, after and without an acknowledgement',
      async play(shop) {
        for (const [index, how] of (['cut before', 'cut after', 'lost', 'never'] as const).entries()) {
          shop.peer.faults.acknowledge(how, { next: 1 })
          await shop.send(`around a cut (${how})`, 'known', customers.slice(index % customerCount).slice(0, 1))
          await shop.pass(2 * MINUTE)
        }
      },
    },
    {
      at: 4 * HOUR,
      title: 'two customers are out of reach; one of them comes back while the PC is off',
      async play(shop) {
        for (const number of [second, third]) customerOf(shop, number).receipts = 'none'
        await shop.send('to phones that are off', 'known', [second, third])
      },
    },
    {
      at: 5 * HOUR,
      title: 'WhatsApp locks the number for an hour: strangers wait, customers do not',
      async play(shop) {
        shop.phone.lock({ ms: HOUR })
        shop.closes(HOUR, 'a lock', { holds: 'strangers' })
        await shop.quiet()
        await shop.send('offers under the lock', 'stranger', numbers('62813000', 3))
        await shop.send('invoices under the lock', 'known', [first])
      },
    },
    {
      at: 7 * HOUR,
      title: 'a customer has a new phone, another one device more, and the owner’s phone asks again',
      async play(shop) {
        customerOf(shop, first).reinstall()
        customerOf(shop, second).addDevice({ silently: true })
        await shop.send('to new phones', 'known', [first, second])
        const { id } = shop.peer.journal.messages.at(-1) ?? { id: '' }
        shop.phone.askRetry(id)
        await shop.quiet()
      },
    },
    {
      at: 8 * HOUR,
      title: 'the PC is off for half an hour while WhatsApp’s server goes down',
      async play(shop) {
        await shop.peer.stop()
        shop.closes(40 * MINUTE, 'a server that is down')
        await shop.send('while WhatsApp is down', 'known', customers)
        await shop.restart()
        const back = customerOf(shop, second)
        back.receipts = 'auto'
        const unread = (await back.messages()).filter(({ text }) => text?.startsWith('to phones that are off'))
        for (const { id } of unread) back.read(id)
        await shop.pass(30 * MINUTE)
        await shop.peer.start()
      },
    },
    {
      at: 9 * HOUR,
      title: 'the phone removes the device; the owner links again, and compares a code',
      async play(shop) {
        shop.phone.unlink()
        shop.closes(40 * MINUTE, 'no link')
        await shop.quiet()
        await shop.send('without a link', 'known', customers)
        await writeToKitchen(shop, 'kitchen without a link')
        await shop.pass(30 * MINUTE)
        await shop.link({ passkeyAfter: 6 * MINUTE })
      },
    },
    {
      at: 11 * HOUR,
      title: 'the shop says good night',
      async play(shop) {
        await shop.send('good night', 'known', customers)
        await writeToKitchen(shop, 'kitchen closes')
      },
    },
  ]
}

export const DAY_LENGTH = 13 * HOUR
