import { expect, test } from 'vitest'
import { HEAD_BYTES, namesIn, outlineOf, shownPath } from '../../server/http/outline.ts'
import { cloud } from '../../server/slices/compat/cloud/index.ts'
import { fonnte } from '../../server/slices/compat/fonnte/index.ts'
import { panel } from '../../server/slices/compat/panel/index.ts'
import { wablas } from '../../server/slices/compat/wablas/index.ts'
import { waha } from '../../server/slices/compat/waha/index.ts'
import { recognise } from '../../server/slices/refused-calls/about.ts'
import { SANDBOX, startApp } from '../support/app.ts'

const MOUTHS = [fonnte, wablas, panel, waha, cloud]
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const ACCOUNT = `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`

type Headers = Record<string, string>

const nameOf = (method: string, url: string, headers: Headers, body = ''): string | null =>
  recognise(MOUTHS, outlineOf({ method, url, headers }, undefined, Buffer.from(body)))

// Each as a public client or the gateway's own page has it.
test.each<[name: string | null, call: string, headers: Headers, body?: string]>([
  ['Fonnte', 'POST /send', { authorization: 'abc', ...FORM }, 'target=0812&message=hai'],
  ['Fonnte', 'POST /send', { authorization: 'Bearer abc', ...JSON_TYPE }, '{"target":"0812","message":"hai"}'],
  ['Fonnte', 'POST /send/', { authorization: 'abc', ...JSON_TYPE }, '{"data":"[{}]"}'],
  ['Fonnte', 'GET /send?token=abc&target=0812&message=hai', {}],
  ['Fonnte', 'POST /validate', { authorization: 'abc', ...FORM }, 'target=0812&countryCode=62'],
  ['Fonnte', 'POST /get-whatsapp-group', { authorization: 'abc' }],
  ['Fonnte', 'POST /status', { authorization: 'abc', ...FORM }, 'id=12'],
  ['Fonnte', 'POST /compat/fonnte/send', { authorization: 'abc', ...FORM }, 'target=0812'],
  [
    'Fonnte',
    'POST /send',
    { authorization: 'abc', 'content-type': 'multipart/form-data; boundary=x' },
    '--x\r\nContent-Disposition: form-data; name="target"\r\n\r\n0812\r\n',
  ],
  ['Wablas', 'POST /api/send-message', { authorization: 'abc.def', ...FORM }, 'phone=0812&message=hai'],
  ['Wablas', 'GET /api/send-message?token=abc&phone=0812&message=hai', {}],
  ['Wablas', 'POST /api/v2/send-message', { authorization: 'abc', ...JSON_TYPE }, '{"data":[{"phone":"0812"}]}'],
  ['Wablas', 'POST /api/send-image', { authorization: 'abc', ...FORM }, 'phone=0812&image=http'],
  ['Wablas', 'GET /api/device/info?token=abc', {}],
  ['MPWA', 'GET /send-message?api_key=abc&sender=62&number=62&message=hai', {}],
  ['MPWA', 'POST /en/api/send-media', FORM, 'api_key=abc&sender=62&number=62&url=http'],
  ['MPWA', 'POST /api/send-message', JSON_TYPE, '{"api_key":"abc","sender":"62","number":"62","message":"hai"}'],
  ['MPWA', 'GET /info-devices?api_key=abc', {}],
  ['WAHA', 'POST /api/sendText', { 'x-api-key': 'abc', ...JSON_TYPE }, '{"chatId":"62@c.us","text":"hai"}'],
  ['WAHA', 'POST /api/sendText', JSON_TYPE, '{"session":"default","chatId":"62@c.us","text":"hai"}'],
  ['WAHA', 'POST /api/startTyping', { 'x-api-key': 'abc', ...JSON_TYPE }, '{"session":"default"}'],
  ['WAHA', 'GET /api/sessions/default', { 'x-api-key': 'abc' }],
  ['WAHA', 'GET /api/contacts/check-exists?phone=62&session=default', { 'x-api-key': 'abc' }],
  ['Cloud API', 'POST /v21.0/1234567890/messages', { authorization: 'Bearer abc', ...JSON_TYPE }, '{"to":"62"}'],
  ['Cloud API', 'POST /1234567890/messages', JSON_TYPE, '{"messaging_product":"whatsapp","to":"62"}'],
  ['Cloud API', 'GET /v21.0/1234567890?fields=id', { authorization: 'Bearer abc' }],
  ['Twilio', `POST ${ACCOUNT}`, { authorization: 'Basic abc', ...FORM }, 'To=whatsapp%3A%2B62&Body=hai'],
  ['Twilio', 'POST /Messages.json', { authorization: 'Basic abc', ...FORM }, 'To=whatsapp%3A%2B62&Body=hai'],
  ['Kurir', 'POST /api/send', { authorization: 'Bearer abc', ...JSON_TYPE }, '{"phone":"62","message":"hai"}'],
  ['Kurir', 'POST /sends', JSON_TYPE, '{"phone":"62","message":"hai"}'],
  ['Kurir', 'GET /send?phone=62&message=hai', {}],
  ['Kurir', 'POST /send', { authorization: 'Bearer abc', ...JSON_TYPE }, '{"to":"62","text":"hai"}'],
  ['Kurir', 'POST /wa/kirim', JSON_TYPE, '{"phone":"62","message":"hai","sender_code":"SND-1"}'],
  // Right, whatever else was wrong with them.
  [null, 'POST /send', { authorization: 'Bearer abc', ...JSON_TYPE }, '{"phone":"62","message":"hai"}'],
  [null, 'POST /send', { authorization: 'abc', ...FORM }, 'phone=62&message=hai'],
  // StarSender, Evolution, GOWA and wppconnect have paths of their own.
  [null, 'POST /api/sendText?message=hai&tujuan=62', { apikey: 'abc' }],
  [null, 'POST /message/sendText/toko', { apikey: 'abc', ...JSON_TYPE }, '{"number":"62","text":"hai"}'],
  [null, 'POST /send/message', { authorization: 'Basic abc', ...JSON_TYPE }, '{"phone":"62","message":"hai"}'],
  [null, 'GET /wp-login.php', {}],
  [null, 'GET /api/sessions', {}],
])('%s: %s', (name, call, headers, body) => {
  const [method = '', url = ''] = call.split(' ')
  expect(nameOf(method, url, headers, body)).toBe(name)
})

test('only names are looked at, and only those in the first bytes', () => {
  const of = (text: string, type?: string) => namesIn(Buffer.from(text), type)
  expect(of('{"a":"b\\"c\\":","d":{"e":1},"f":["g:"],"h" : null}')).toEqual(['a', 'd', 'f', 'h'])
  expect(of('{"a":"cut off in the mi')).toEqual(['a'])
  expect(of('{"a":{{{{[[[["')).toEqual(['a'])
  expect(of('a=1&b=2&c d=3', 'application/x-www-form-urlencoded')).toEqual(['a', 'b'])
  expect(of('Halo Budi=1', 'text/plain')).toEqual([])
  expect(of('["a"]')).toEqual([])
  expect(of(`{"${'x'.repeat(65)}":1,"a":2}`)).toEqual(['a'])
  expect(of(`{"a":"${'x'.repeat(HEAD_BYTES)}","b":1}`)).toEqual(['a'])
  expect(of(`{${Array.from({ length: 99 }, (_, n) => `"m${n}":1`)}}`)).toHaveLength(40)
  expect(of(Array.from({ length: 99 }, (_, n) => `m${n}=1`).join('&'), 'x-www-form-urlencoded')).toHaveLength(40)
})

test('an outline holds no value', () => {
  const headers = { authorization: 'Bearer secret', 'x-api-key': 'secret', cookie: 'secret', ...JSON_TYPE }
  const outline = outlineOf(
    { method: 'POST', url: '/send?token=secret&phone=secret', headers },
    undefined,
    Buffer.from('{"message":"secret","to":"secret"}'),
  )
  const all = { ...outline, headers: [...outline.headers], members: [...outline.members] }
  expect(JSON.stringify(all)).not.toContain('secret')
  expect(all).toMatchObject({ path: '/send', authorization: 'bearer', members: ['token', 'phone', 'message', 'to'] })
})

test.each([
  ['/v21.0/1234567890/messages?access_token=x', '/v21.0/{…}/messages'],
  ['/waInstance1101/sendMessage/d75b3a66374942c5b3c0', '/{…}/sendMessage/{…}'],
  [ACCOUNT, '/2010-04-01/Accounts/{…}/Messages.json'],
  ['/api/6281234567890/send-message', '/api/{…}/send-message'],
  ['/api/send-document-from-local', '/api/send-document-from-local'],
  [`/${'a/'.repeat(20)}`, '/a/a/a/a/a/a/a/a/…'],
  [`/${'x'.repeat(5000)}`, '/{…}'],
  ['/', '/'],
  ['/AbCDeFgHIjKlMnOp', '/{…}'],
  ['/%00%3Cscript%3E', '/{…}'],
])('of the path %s only words are kept', (url, shown) => {
  expect(shownPath(url)).toBe(shown)
})

const ADVICE_OF_SEND = 'file:///'
test.each<[path: string, body: object, name: string]>([
  ['fonnte/send', { target: '0811111111', message: 'x', schedule: '4070908800' }, 'schedule: must be at most 30 days'],
  [
    'fonnte/send',
    { target: '0811111111', url: 'data:image/png;base64,AA==' },
    'url: must be an http or https address wi',
  ],
  ['fonnte/send', { target: '0811111111', message: '' }, 'message: must not be empty'],
  [
    'fonnte/send',
    { target: '0811111111', message: 'x', countryCode: '0' },
    '0811111111: target invalid: begin it with',
  ],
  ['wablas/api/send-image', { phone: '0811111111', image: 'nota.png' }, 'image: must be an http or https address wi'],
  ['wablas/api/send-message', { phone: '0811111111', message: '', ref_id: 'x' }, 'message: must not be empty'],
  ['panel/send-media', { number: '0811111111', media_type: 'image', url: 'x' }, 'url: must be an http'],
  ['waha/api/sendText', { chatId: '62811111111', text: '' }, 'text: must not be empty'],
  ['waha/api/sendImage', { chatId: '62811111111', file: { url: 'x' } }, 'file.url: must be an http'],
  [`cloud/v26.0/${SANDBOX}/messages`, { to: 'Ani', text: { body: 'x' } }, 'to: must be a phone number'],
  [`cloud/v26.0/${SANDBOX}/messages`, { to: '0811111111', text: { body: '' } }, 'text.body: must not be empty'],
  [`cloud/v26.0/${SANDBOX}/messages`, { to: '0811', type: 'image', image: { link: 'x' } }, 'image.link: must be an'],
])('%s refuses %j in its own names', async (path, body, name) => {
  const app = await startApp()
  const key = await app.key({ sender: SANDBOX })
  for (const mouth of ['fonnte', 'wablas', 'panel', 'waha', 'cloud'])
    await app.owner('/api/settings', { method: 'PATCH', body: { [`compat_${mouth}`]: true } })
  const { text } = await app.fetch(`/compat/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
  })
  expect(text).toContain(name)
  expect(text).not.toContain(ADVICE_OF_SEND)
})
