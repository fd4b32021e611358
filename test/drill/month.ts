import { CURRENT_BUILD } from './shop.ts'
import type { Chapter } from './stage.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const numbers = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(4, '0')}`)

const CUSTOMERS = numbers('62812000', 20)

/** A month in which everything happens that happens to shops, each on a day of its own. */
export const MONTH: Chapter[] = [
  {
    at: 0,
    title: 'the shop links its number, and customers write to it',
    async play(shop) {
      await shop.link()
      for (const number of CUSTOMERS) await shop.customer(number)
      await shop.quiet()
    },
  },
  {
    at: DAY,
    title: 'an ordinary day',
    play: (shop) => shop.send('ordinary', 'known', CUSTOMERS),
  },
  {
    at: 2 * DAY,
    title: 'the network drops ten times in a row',
    async play(shop) {
      for (let drop = 0; drop < 10; drop += 1) {
        shop.phone.disconnect(428)
        await shop.send('during drops', 'known', CUSTOMERS.slice(drop, drop + 1))
        await shop.pass(20 * SECOND)
      }
    },
  },
  {
    at: 4 * DAY,
    title: 'WhatsApp locks the number at the fortieth stranger, for a day',
    async play(shop) {
      shop.phone.lockAfter(40, DAY)
      shop.closes(DAY + HOUR, 'a lock of strangers', { holds: 'strangers' })
      await shop.send('offers before and under the lock', 'stranger', numbers('62813000', 60))
      await shop.pass(10 * MINUTE)
      await shop.send('invoices under the lock', 'known', CUSTOMERS)
    },
  },
  {
    at: 8 * DAY,
    title: 'new chats are capped for three days',
    async play(shop) {
      shop.phone.forgetReach()
      shop.phone.cap({ total: 30, warnAt: [20, 25], cycleEndsAt: shop.clock.now() + 3 * DAY })
      shop.closes(3 * DAY, 'the cap on new chats', { holds: 'strangers' })
      await shop.send('offers under the cap', 'stranger', numbers('62814000', 40))
      await shop.pass(10 * MINUTE)
      await shop.send('invoices under the cap', 'known', CUSTOMERS)
    },
  },
  {
    at: 12 * DAY,
    title: 'a ban of two days, with two restarts in between',
    async play(shop) {
      shop.phone.ban({ code: 101, seconds: (2 * DAY) / SECOND })
      shop.closes(2 * DAY, 'a ban', { mostAttempts: 0 })
      await shop.quiet()
      await shop.send('invoices under the ban', 'known', CUSTOMERS)
      await shop.pass(HOUR)
      await shop.restart()
      await shop.pass(20 * HOUR)
      await shop.restart()
    },
  },
  {
    at: 16 * DAY,
    title: 'the phone removes the device; the owner links again after three hours',
    async play(shop) {
      shop.phone.unlink()
      shop.closes(3 * HOUR, 'no link')
      await shop.quiet()
      await shop.send('invoices without a link', 'known', CUSTOMERS)
      await shop.pass(3 * HOUR)
      await shop.link()
    },
  },
  {
    at: 18 * DAY,
    title: 'a customer has a new phone',
    async play(shop) {
      shop.peer.recipient(CUSTOMERS[0] ?? '').reinstall()
      await shop.send('to a new phone', 'known', CUSTOMERS.slice(0, 1))
    },
  },
  {
    at: 20 * DAY,
    title: 'WhatsApp takes this build no more',
    async play(shop) {
      shop.peer.versions.require(CURRENT_BUILD)
      shop.closes(6 * HOUR, 'an outdated build', { mostAttempts: 3 })
      shop.phone.disconnect('going down')
      await shop.quiet()
      await shop.send('invoices with an old build', 'known', CUSTOMERS)
      await shop.pass(6 * HOUR)
      // Where the program has not found the current build by itself, WhatsApp changes its mind.
      shop.peer.versions.require(0)
    },
  },
  {
    at: 23 * DAY,
    title: 'somebody posts 500 numbers that do not exist',
    async play(shop) {
      const wrong = numbers('62899000', 500)
      for (const number of wrong) shop.peer.unknownNumber(number)
      await shop.send('to wrong numbers', 'wrong', wrong)
      await shop.send('invoices among wrong numbers', 'known', CUSTOMERS)
    },
  },
  {
    at: 27 * DAY,
    title: 'the account is migrated to LIDs',
    async play(shop) {
      await shop.phone.migrate(CUSTOMERS)
      await shop.quiet()
      await shop.send('invoices after the migration', 'known', CUSTOMERS)
    },
  },
  {
    at: 29 * DAY,
    title: 'an ordinary day at the end',
    play: (shop) => shop.send('ordinary at the end', 'known', CUSTOMERS),
  },
]

export const LENGTH = 31 * DAY
