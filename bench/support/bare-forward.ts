import express from 'express'
import { templateRequest } from '../../server/contract/templates.ts'
import { reportReady } from './processes.ts'

/**
 * The simplest server: it checks the request, forwards it with `fetch`, passes the answer on and
 * stores nothing.
 */
const [graph = '', token = ''] = process.argv.slice(2)
const app = express()
app.disable('x-powered-by').disable('etag')
app.use(express.json({ limit: '1mb' }))

app.post('/waba/send-template', async (req, res) => {
  const parsed = templateRequest.safeParse(req.body)
  if (!parsed.success) return void res.status(400).json({ success: false })
  const { phone, template_name: name, language, parameters = [] } = parsed.data
  const values = Array.isArray(parameters) ? parameters : []
  const answer = await fetch(`${graph}/v26.0/106540352242922/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: `+${phone}`,
      type: 'template',
      template: {
        name,
        language: { code: language },
        components: [{ type: 'body', parameters: values.map((value) => ({ type: 'text', text: String(value) })) }],
      },
    }),
  })
  const data = (await answer.json()) as { messages: { id: string }[] }
  const messageId = data.messages[0]?.id
  res.status(answer.status).json({ success: answer.ok, message: 'Sent.', data: { success: true, messageId, data } })
})

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  reportReady({ origin: `http://127.0.0.1:${port}`, key: 'none' }, () => server.close())
})
