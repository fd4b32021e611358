export const SHOP = '6281234567801'
export const NOT_ON_WHATSAPP = '6285700012299'

const CUSTOMERS = [
  ['Sari', '6281290114473'],
  ['Budi', '6285611947720'],
  ['Ayu', '6281388205516'],
  ['Dewi', '6287833019942'],
  ['Rudi', '6282144870365'],
  ['Maya', '6281977342208'],
  ['Putri', '6285219906341'],
  ['Joko', '6281316620087'],
] as const

const TEXTS = [
  (name: string, number: string) =>
    `Halo ${name}, pesanan ${number} sudah kami terima. Total Rp 184.500. Terima kasih 🌸`,
  (name: string, number: string) => `Halo ${name}, pesanan ${number} siap diambil di Toko Melati sampai jam 20.00.`,
  (name: string, number: string) => `Pembayaran ${number} lunas. Terima kasih, ${name}!`,
  (name: string, number: string) => `Kurir kami berangkat dengan pesanan ${number}. Estimasi tiba 30 menit, ${name}.`,
]

export type Fate = 'read' | 'delivered' | 'sent' | 'failed'

export interface Line {
  channel: 'standard' | 'template'
  at: number
  phone: string
  name: string
  text: string
  reference: string
  fate: Fate
}

/** Time at which the pictures are taken, in this PC's time zone. */
export const NOW = new Date(2026, 10, 21, 10, 12, 30).getTime()

const HOUR = 3_600_000
const MINUTE = 60_000
const DAYS = 13

/** Returns two weeks of a small shop up to `now`, oldest first and always the same. */
export function tellStory(now: number): Line[] {
  const lines: Line[] = []
  for (let day = DAYS; day > 0; day -= 1) {
    const count = 14 + ((day * 7) % 11)
    for (let i = 0; i < count; i += 1) lines.push(line(lines.length, now - day * 24 * HOUR + i * 20 * MINUTE))
  }
  for (let i = 22; i > 0; i -= 1) lines.push(line(lines.length, now - i * 7 * MINUTE))
  return lines
}

function line(index: number, at: number): Line {
  const [name, phone] = CUSTOMERS[(index * 5) % CUSTOMERS.length] ?? CUSTOMERS[0]
  const reference = `INV-${1024 + index}`
  const text = TEXTS[(index * 3) % TEXTS.length]?.(name, reference) ?? ''
  const fate = fateOf(index)
  const channel = index % 3 === 1 ? 'template' : 'standard'
  const number = fate === 'failed' && channel === 'standard' ? NOT_ON_WHATSAPP : phone
  return { channel, at, phone: number, name, text, reference, fate }
}

function fateOf(index: number): Fate {
  if (index % 13 === 4) return 'failed'
  if (index % 9 === 6) return 'sent'
  return index % 4 === 3 ? 'delivered' : 'read'
}
