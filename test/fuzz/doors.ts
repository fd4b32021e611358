import { below, mutate, pick, type Random } from './mutate.ts'

/** A call as a program of another gateway makes it, before anything of it is changed. */
interface Call {
  path: string
  /** The member that holds the key, where it stands in the address. */
  key?: string
  members: Record<string, unknown>
}

const DATA = [
  { target: '081234567890|Ani', message: 'Halo {name}', delay: '1-2', schedule: 0 },
  { target: '6281234567891', url: 'http://127.0.0.1:9/a.pdf', filename: 'a' },
]
const PANEL = { sender: '62888', number: '628111111111|0812-3456-7890', footer: 'Toko' }
const CALLS: readonly Call[] = [
  { path: '/compat/fonnte/send', key: 'token', members: { target: '0812345678', message: 'Halo', redirect: 'x' } },
  { path: '/compat/fonnte/send', members: { data: JSON.stringify(DATA), countryCode: '62', inboxid: 1 } },
  { path: '/compat/fonnte/send', members: { data: DATA } },
  { path: '/compat/fonnte/validate', members: { target: '081234567890,x|y', countryCode: '0' } },
  { path: '/compat/fonnte/status', members: { id: '1' } },
  { path: '/compat/fonnte/delete-message', members: { id: 1 } },
  { path: '/compat/fonnte/reset-message', members: { id: '1', delay: '5-10', schedule: 1_795_248_000 } },
  { path: '/compat/fonnte/get-devices', members: {} },
  { path: '/compat/wablas/api/send-message', key: 'token', members: { phone: '628111111111', message: 'Halo' } },
  { path: '/compat/wablas/api/v2/send-message', members: { data: [{ phone: '628111111111', message: 'a' }] } },
  { path: '/compat/wablas/api/send-image', members: { phone: '628111111111', image: 'http://127.0.0.1:9/a.png' } },
  { path: '/compat/wablas/api/device/info', key: 'token', members: {} },
  { path: '/compat/panel/send-message', key: 'api_key', members: { ...PANEL, message: 'Halo' } },
  {
    path: '/compat/panel/send-media',
    key: 'api_key',
    members: { ...PANEL, media_type: 'pdf', url: 'http://127.0.0.1:9/a.pdf', caption: 'Nota' },
  },
]

const TOKENS = [
  ...[
    '|',
    ',',
    '@g.us',
    '@c.us',
    '{name}',
    '{var999}',
    '-',
    '99999999999999999999',
    '0',
    '[{',
    '"target":',
    '"data":[',
  ],
  ...['&target=', '&data=', '&token=', '&phone[]=', '&api_key=', '%7C', '%C3%28', 'true', '1e309', 'null'],
]

const encoded = (members: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(members).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()

/** No byte of a head that ends it, or that makes another line of it. */
const inLine = (bytes: Buffer): string => bytes.toString('latin1').replace(/[\r\n\0 ]/g, '+')

/** Programs that were written for another gateway, with the key where they put it. */
export function doorMouth(device: string) {
  function input(random: Random): Buffer {
    const { path, key, members } = pick(random, CALLS)
    const isInAddress = key !== undefined && random() < 0.5
    const isForm = random() < 0.5
    const given = isInAddress ? { [key]: device, ...members } : members
    const text = mutate(Buffer.from(isForm || isInAddress ? encoded(given) : JSON.stringify(given)), random, TOKENS)
    const isGet = isInAddress && random() < 0.7
    const line = isInAddress ? `${path}?${inLine(text)}` : path
    const body = isGet ? Buffer.alloc(0) : text
    const length = random() < 0.95 ? body.length : Math.max(0, body.length + below(random, 200) - 100)
    const head = [
      `${isGet ? 'GET' : 'POST'} ${line} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      ...(isInAddress ? [] : [`Authorization: ${device}${random() < 0.1 ? '.secret' : ''}`]),
      `Content-Type: ${isForm ? 'application/x-www-form-urlencoded' : 'application/json'}`,
      `Content-Length: ${length}`,
    ]
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
  }
  return { name: 'call of another gateway', weight: 15, to: 'callers' as const, input }
}
