import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { makeBackup } from '../../server/cli/backup.ts'
import { createClient } from '../../server/cli/client.ts'
import { createProgram } from '../../server/cli/program.ts'
import { createOutput, PASSPHRASE, readSecret } from '../../server/cli/terminal.ts'
import { COMMAND } from '../../server/lib/program.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startReceiver } from '../support/receiver.ts'

const app = await startApp({ lives: 'file' })

const kurir = (...args: string[]) => runCommand(app.home, args)

test('a sender is added, paused, resumed and removed', async () => {
  const { sender_code } = (await kurir('senders', 'add', 'Toko', '--sandbox', '--json')).json()
  expect((await kurir('senders', 'pause', sender_code, '--json')).json()).toMatchObject({ state: 'paused' })
  expect((await kurir('senders', 'resume', sender_code, '--json')).json()).toMatchObject({ state: 'connected' })
  const { meta } = app.app.store
  await meta.save('all_paused', 'true')
  expect((await kurir('senders', 'resume', sender_code)).out).toContain('resumed, but all senders are paused')
  await meta.save('all_paused', 'false')
  expect((await kurir('senders', 'resume', sender_code)).out).toContain('sends again')
  const unsure = await kurir('senders', 'remove', sender_code)
  expect([unsure.code, unsure.refused]).toEqual([2, expect.stringContaining('--yes')])
  expect((await kurir('senders', 'remove', sender_code, '--yes')).code).toBe(0)
  expect((await kurir('senders', 'list')).out).not.toContain(sender_code)
})

test('the groups of a sender are listed with their ids', async () => {
  const { out } = await kurir('senders', 'groups', SANDBOX)
  expect(out).toMatch(/120363000000000101@g\.us +Kitchen +5 +yes/)
  expect(out).toMatch(/Announcements +5 +no/)
  expect((await kurir('senders', 'groups', 'SND-NOBODY')).code).not.toBe(0)
})

test('what others wrote cannot move the cursor, or turn what stands beside it', async () => {
  const name = 'Toko\u001b[2J\u202e\u009b31m'
  const { sender_code } = (await kurir('senders', 'add', 'Toko', '--sandbox', '--json')).json()
  await app.app.store.senders.change(app.app.store.senders.byCode(sender_code)?.id ?? 0, (row) => ({
    settings: { ...row.settings, name },
  }))
  const listed = await kurir('senders', 'list')
  expect(listed.out).toContain('Toko[2J31m')
  expect(listed.out).toMatch(/^[\P{Cc}\n]*$/u)
  const json = await kurir('senders', 'list', '--json')
  expect(json.out).toMatch(/^[\P{Cc}\n]*$/u)
  expect(json.json()).toContainEqual(expect.objectContaining({ name }))
  await kurir('senders', 'remove', sender_code, '--yes')
})

test('an official sender comes from a file, so that no secret is an argument', async () => {
  const file = join(temporaryFolder(), 'meta.json')
  const ids = { phone_number_id: '106540352242922', waba_id: '102290129340398' }
  const secrets = { access_token: 'token', app_secret: 'secret', verify_token: 'verify' }
  writeFileSync(file, JSON.stringify({ ...ids, ...secrets }))
  const added = await kurir('senders', 'add-official', 'Resmi', '--file', file, '--json')
  expect(added.json()).toMatchObject({ kind: 'official', name: 'Resmi' })
  expect(added.out).not.toContain('secret')
  const { sender_code } = added.json()
  const checked = await kurir('senders', 'check', sender_code)
  expect(checked.out).toMatch(new RegExp(`^${sender_code} \\(Resmi\\) is \\w+.*\\.\nFAILS Access token: .+`))
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
  writeFileSync(file, 'none')
  expect((await kurir('senders', 'add-official', 'Resmi', '--file', file)).refused).toContain('phone_number_id')
})

test('a message is sent, listed, shown and cancelled', async () => {
  const sent = await kurir('send', '6281234567890', 'Halo', '--sender', SANDBOX, '--reference', 'INV-7', '--json')
  const { id } = sent.json()
  await app.reached(id, 'read')
  expect((await kurir('messages', 'list', '--status', 'read')).out).toMatch(new RegExp(`${id}.*INV-7`))
  expect((await kurir('messages', 'show', id)).out).toMatch(/: read\n[\s\S]*delivered/)
  const refused = await kurir('send', '6281234560001', 'Halo', '--sender', SANDBOX, '--json')
  const { error } = await app.reached(refused.json().id, 'failed')
  expect((await kurir('messages', 'show', refused.json().id)).out).toContain(`(${error?.code})\n${error?.hint}\n`)
  const late = await kurir('messages', 'cancel', id)
  expect([late.code, late.refused]).toEqual([1, expect.stringContaining('cancel')])
})

test('messages are listed by reference or recipient, and page by page', async () => {
  const references = ['INV-8', 'INV 9', 'INV-10']
  for (const reference of references)
    await kurir('send', '6281234567899', 'Halo', '--sender', SANDBOX, '--reference', reference)
  const listed = async (...options: string[]) => {
    const { json } = await kurir('messages', 'list', ...options, '--json')
    return json().map(({ reference_id }: { reference_id: string }) => reference_id)
  }
  expect(await listed('--reference', 'INV 9')).toEqual(['INV 9'])
  expect(await listed('--recipient', '+62 812-3456-7899')).toEqual(references.toReversed())
  const first = await kurir('messages', 'list', '--recipient', '6281234567899', '--limit', '2')
  expect(first.out).toMatch(/INV-10\n.*INV 9\n$/)
  const [, cursor = ''] = /^There are more: add --cursor (\d+)\.\n$/.exec(first.err) ?? []
  const second = await kurir('messages', 'list', '--recipient', '6281234567899', '--limit', '2', '--cursor', cursor)
  expect([second.out, second.err]).toEqual([expect.stringMatching(/INV-8\n$/), ''])
  const asJson = await kurir('messages', 'list', '--recipient', '6281234567899', '--limit', '2', '--json')
  expect(JSON.parse(asJson.err)).toEqual({ next_cursor: cursor })
})

test('a webhook is added, tested and removed; its secret is alone on standard output', async () => {
  const hook = await startReceiver()
  const added = await kurir('webhooks', 'add', hook.url, '--events', 'message.failed')
  expect(added.out).toMatch(/^whsec_\S+\n$/)
  const [row] = (await kurir('webhooks', 'list', '--json')).json()
  expect(row).toMatchObject({ url: hook.url, events: ['message.failed'] })
  expect((await kurir('webhooks', 'test', row.id)).out).toContain('was taken')
  hook.answer({ status: 401 })
  expect((await kurir('webhooks', 'test', row.id)).refused).toContain(
    'Does the receiver have the secret of this webhook?',
  )
  expect((await kurir('webhooks', 'discard', row.id)).out).toContain('forgotten now: 0')
  expect((await kurir('webhooks', 'remove', row.id)).code).toBe(0)
  expect((await kurir('webhooks', 'list', '--json')).json()).toEqual([])
})

test('settings are read and changed; what is wrong is said by Kurir', async () => {
  expect((await kurir('settings', 'get', 'language')).out).toBe('en\n')
  await kurir('settings', 'set', 'allowed_hosts', '["kurir.example"]')
  expect((await kurir('settings', 'get', 'allowed_hosts', '--json')).json()).toEqual(['kurir.example'])
  const port = await kurir('settings', 'set', 'port', '70000')
  expect([port.code, port.refused]).toEqual([1, expect.stringContaining('must not be more than 65535')])
  expect((await kurir('settings', 'get', 'colour')).code).toBe(2)
})

test('nodes are named only where a database is shared; the commands work all the same', async () => {
  const ofNodes = /\bnodes?\b|migrate-to|reopen/
  expect((await kurir('help')).out).toMatch(/rotate-key/)
  expect((await kurir('help')).out).not.toMatch(ofNodes)
  expect((await kurir('completion', 'bash')).out).not.toMatch(ofNodes)
  expect((await kurir('settings', 'get')).out).toMatch(/^retention_days +365$/m)
  expect((await kurir('settings', 'get')).out).not.toMatch(ofNodes)
  expect((await kurir('settings', 'get', '--json')).json()).toMatchObject({ node: null })
  expect((await kurir('nodes')).out).toContain('There are no nodes')
  expect((await kurir('help', 'reopen')).out).toContain('--yes')

  const sharing = { KURIR_DATABASE_URL: 'postgresql://db.example/kurir' }
  const { out } = await runCommand(app.home, ['help'], sharing)
  for (const name of ['nodes', 'migrate-to', 'reopen']) expect(out).toContain(`  ${name} `)
  expect((await runCommand(app.home, ['completion', 'bash'], sharing)).out).toContain('"nodes forget"')
})

test('sessions are listed and logged out', async () => {
  const link = (await kurir('open', '--json')).json()
  const code = link.url.split('#code=')[1]
  await app.fetch('/api/sessions', { body: { code } })
  const [session] = (await kurir('sessions', 'list', '--json')).json()
  expect((await kurir('sessions', 'revoke', session.id)).code).toBe(0)
  expect((await kurir('sessions', 'list', '--json')).json()).toEqual([])
})

test('a new key for what is saved is asked for', async () => {
  const { out } = await kurir('rotate-key')
  expect(out).toMatch(
    /^A new key is made for what is saved here\. It is done at the next start of Kurir\. .+ --sheet\n$/,
  )
})

test('log and diagnostics are printed without numbers', async () => {
  expect((await kurir('doctor', '--json')).json()).toMatchObject({ kurir: { senders: expect.any(Array) } })
  expect((await kurir('logs')).out).not.toContain('6281234567890')
})

describe('what goes wrong is said in words', () => {
  test.each<[string, string[], number, RegExp]>([
    ['the sandbox has no phone', ['senders', 'link', SANDBOX], 2, /is the sandbox: it has no phone to link/],
    ['a number without --code', ['senders', 'link', SANDBOX, '--phone', '628'], 2, /add --code/],
    [
      'a passphrase file that is not there',
      ['backup', 'x', '--passphrase-file', '/no/such'],
      2,
      /\/no\/such cannot be read/,
    ],
    ['an id that is empty', ['messages', 'show', ''], 2, /^<id> must not be empty\.$/],
    ['an option that is empty', ['send', '628', 'x', '--file', ''], 2, /^--file must not be empty\.$/],
    ['a folder in place of a backup', ['restore', '/', '--passphrase-file', '/dev/null'], 1, /^\/ is no file\.$/],
    ['a folder beside --sheet', ['backup', 'schedule', '/mnt', '--sheet'], 2, /^--sheet goes with no folder/],
    ['another shell', ['completion', 'tcsh'], 2, /only for bash, zsh, fish, powershell/],
    ['a message that does not exist', ['messages', 'show', 'NOBODY'], 1, /no such message/],
  ])('%s', async (_what, args, code, words) => {
    const ended = await kurir(...args)
    expect([ended.code, ended.refused]).toEqual([code, expect.stringMatching(words)])
    expect(ended.out).toBe('')
  })

  test('a backup that is not there', async () => {
    const file = join(temporaryFolder(), 'passphrase')
    writeFileSync(file, 'four words that nobody guesses')
    const ended = await kurir('restore', '/no/such.kurirbackup', '--passphrase-file', file)
    expect([ended.code, ended.refused]).toEqual([1, '/no/such.kurirbackup cannot be read.'])
  })

  test('a passphrase in letters of an old code page, which would become another one', async () => {
    const file = join(temporaryFolder(), 'passphrase')
    writeFileSync(file, 'schlüssel der küche', 'latin1')
    const ended = await kurir('backup', 'x.kurirbackup', '--passphrase-file', file)
    expect([ended.code, ended.refused, ended.err]).toEqual([2, `${file} is no text in UTF-8.`, ''])
  })

  test('a backup whose connection ended in the middle, and nothing of it is left', async () => {
    const folder = temporaryFolder()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.alloc(100)),
      pull: (controller) => controller.error(Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' })),
    })
    const client = { ...createClient([]), request: async () => new Response(body) }
    const made = makeBackup(client, createOutput(true), join(folder, 'my.kurirbackup'), 'long enough')
    await expect(made).rejects.toThrow('The backup did not arrive whole. Try again.')
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    ['short', 'short'],
    ['long, as of a file with a key', 'x'.repeat(1025)],
  ])('a passphrase that is too %s, before anything is copied', async (_what, passphrase) => {
    const file = join(temporaryFolder(), 'passphrase')
    writeFileSync(file, passphrase)
    const ended = await kurir('backup', 'x.kurirbackup', '--passphrase-file', file)
    expect([ended.code, ended.refused, ended.err]).toEqual([
      2,
      expect.stringMatching(/8 characters, and at most 1024/),
      '',
    ])
  })
})

test.each([
  ['UTF-8', Buffer.from('schlüssel der küche\n')],
  ['UTF-8 as Notepad of Windows saves it', Buffer.from('\ufeffschlüssel der küche\r\n')],
  ['UTF-16 as PowerShell saves it', Buffer.from('\ufeffschlüssel der küche\r\n', 'utf16le')],
])('a passphrase in a file is the one that its owner types: %s', async (_how, bytes) => {
  const file = join(temporaryFolder(), 'passphrase')
  writeFileSync(file, bytes)
  expect(await readSecret(PASSPHRASE, file)).toBe('schlüssel der küche')
})

test('the help of every command has an example, which is right', async () => {
  const own = { start: async () => undefined, migrateTo: async () => '', reopen: async () => '' }
  const leaves = (command: Command): Command[] =>
    command.commands.flatMap((sub) => (sub.commands.length > 0 ? leaves(sub) : [sub]))
  const commands = leaves(createProgram({}, own))
  expect(commands.length).toBeGreaterThan(35)
  for (const command of commands) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    const [, line = ''] = new RegExp(`\nExample:\n  ${COMMAND} (.+)\n$`).exec(help) ?? []
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    // Taken as a person would have typed it, without doing it.
    const program = createProgram({}, own)
    const [typed] = leaves(program).filter(
      (each) => each.name() === command.name() && each.parent?.name() === command.parent?.name(),
    )
    const done: string[] = []
    typed?.action(() => void done.push(line))
    await program.parseAsync(['node', 'kurir', ...words])
    expect(done, command.name()).toEqual([line])
  }
})

test.each(['bash', 'zsh', 'fish', 'powershell'])('the completion of %s knows every command', async (shell) => {
  const { out } = await kurir('completion', shell)
  for (const word of [
    ...['senders', 'add-official', 'register', 'callback-setup', 'webhooks', 'cancel'],
    ...['--passphrase-file', '--pin-file', '--follow', '--at'],
  ])
    expect(out).toContain(word)
})

test('bash completes with it', async () => {
  const script = join(temporaryFolder(), 'kurir.bash')
  writeFileSync(script, (await kurir('completion', 'bash')).out)
  const complete = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const code = `. ${script}; COMP_WORDS=(kurir ${line}); COMP_CWORD=${words.length}; _kurir; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', code], { encoding: 'utf8' }).trim()
  }
  expect(complete('sen')).toBe('senders send')
  expect(complete('senders', 'pa')).toBe('pause')
  expect(complete('senders', 'link', '--')).toBe('--json --code --phone --help')
})
