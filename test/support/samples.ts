/** Minimal files of each type. */
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1')

/** First box of an ISO media file. */
const ftyp = (brand: string): Buffer => ascii(`\0\0\0\x18ftyp${brand}\0\0\x02\0isom${brand}`)

/** An Ogg page whose packet names its codec. */
const ogg = (codec: string): Buffer => ascii(`OggS\0\x02${'\0'.repeat(20)}\x01\x13${codec.padEnd(19, '\0')}`)

/** An uncompressed zip entry. */
function zipEntry(name: string, content: string): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, ascii(name), ascii(content)])
}

const PNG_1X1 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const DOCX_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'

export const samples = {
  png: Buffer.from(PNG_1X1, 'base64'),
  jpeg: Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
  webp: ascii('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0'),
  gif: ascii('GIF89a\x01\0\x01\0\0\0\0;'),
  pdf: ascii('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
  mp4: ftyp('mp42'),
  m4a: ftyp('M4A '),
  threeGp: ftyp('3gp4'),
  mov: ftyp('qt  '),
  opus: ogg('OpusHead\x01\x01'),
  vorbis: ogg('\x01vorbis'),
  mp3: Buffer.concat([
    ascii('ID3\x03\0\0\0\0\0\x0a'),
    Buffer.alloc(10),
    Buffer.from('fffb9064', 'hex'),
    Buffer.alloc(413),
  ]),
  amr: ascii('#!AMR\n\x04\0\0\0'),
  wav: ascii('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0'),
  docx: Buffer.concat([zipEntry('[Content_Types].xml', DOCX_TYPES), zipEntry('word/document.xml', '<w/>')]),
  zip: zipEntry('report.txt', 'hello'),
  html: ascii('<!DOCTYPE html><html><body>hello</body></html>'),
  svg: ascii('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
  text: Buffer.from('Terima kasih 🙏\r\n'),
  csv: ascii('id;total\n1;2000\n'),
  unknown: Buffer.from('00017f0000ffee0102030405', 'hex'),
}
