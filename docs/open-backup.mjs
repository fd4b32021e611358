// Opens a backup of Kurir without Kurir (docs/backup-format.md), with Node and no package. The passphrase is the first line of
// standard input:  node open-backup.mjs shop.kurirbackup folder < passphrase.txt
import { createDecipheriv, scryptSync } from 'node:crypto'
import { fstatSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [file, folder] = process.argv.slice(2)
const backup = openSync(file)
const size = fstatSync(backup).size

function read(at, length) {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(backup, bytes, 0, length, at))
}

const header = read(0, 48)
if (header.toString('latin1', 0, 8) !== 'KURIRBAK') throw new Error('This is no backup of Kurir.')
if (header[8] !== 1) throw new Error(`This is version ${header[8]} of the format; only 1 is known here.`)
const passphrase = readFileSync(0, 'utf8').split(/\r?\n/)[0].normalize('NFC')
const derived = scryptSync(passphrase, header.subarray(9, 25), 48, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })
if (!derived.subarray(32).equals(header.subarray(25, 41))) throw new Error('This is not its passphrase.')

function* chunks() {
  for (let at = 48, number = 0; at < size; number += 1) {
    const sealed = read(at, 256 * 1024 + 16)
    at += sealed.length
    const nonce = Buffer.alloc(12)
    header.copy(nonce, 0, 41)
    nonce.writeUInt32BE(number, 7)
    nonce[11] = at === size ? 1 : 0
    const decipher = createDecipheriv('aes-256-gcm', derived.subarray(0, 32), nonce, { authTagLength: 16 })
    decipher.setAAD(header).setAuthTag(sealed.subarray(-16))
    yield Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  }
}

const plain = chunks()
let rest = Buffer.alloc(0)
/** Up to so many of the next bytes. */
function take(most) {
  if (rest.length === 0) rest = plain.next().value ?? Buffer.alloc(0)
  const part = rest.subarray(0, most)
  rest = rest.subarray(most)
  if (part.length === 0 && most > 0) throw new Error('The backup ends too early.')
  return part
}

const contents = JSON.parse(take(take(4).readUInt32BE()))
mkdirSync(folder, { recursive: true, mode: 0o700 })
for (const { name, size: bytes } of contents.files) {
  if (!/^(kurir\.db|sessions\.db|files\/[0-9a-f-]{36})$/.test(name)) throw new Error('It holds a file of another name.')
  mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
  const to = openSync(join(folder, name), 'wx', 0o600)
  for (let left = bytes; left > 0; ) {
    const part = take(left)
    writeSync(to, part)
    left -= part.length
  }
}
if (rest.length > 0 || !plain.next().done) throw new Error('The backup holds more than it names.')
console.log(JSON.stringify(contents))
