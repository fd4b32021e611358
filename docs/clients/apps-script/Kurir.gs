/**
 * Sends one message from Google Sheets, Forms or Gmail: kurirSend('6281234567890', 'Terima kasih, lunas', 'INV-1001')
 * Project Settings > Script properties hold KURIR_URL, KURIR_KEY and, with several numbers, KURIR_SENDER.
 * The tests run this file in Node, with UrlFetchApp as a real HTTP call; Google itself runs no test.
 *
 * WARNING. This runs on Google's computers, which cannot reach 127.0.0.1 or your LAN. A tunnel (Cloudflare, ngrok,
 * Tailscale Funnel) opens Kurir to the whole internet: let it pass /send alone, give this script a device key with
 * a limit a minute, and add the tunnel's name under Settings. A program on the PC that reads the sheet is safer.
 */

/**
 * Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. `reference` is your own number
 * for this message: Kurir sends it once, however often you ask. Returns Kurir's id of the message.
 */
function kurirSend(phone, message, reference) {
  const { KURIR_URL, KURIR_KEY, KURIR_SENDER } = PropertiesService.getScriptProperties().getProperties()
  const request = {
    method: 'post',
    contentType: 'application/json',
    headers: { Authorization: `Bearer ${KURIR_KEY}`, 'Idempotency-Key': reference },
    payload: JSON.stringify({ phone, message, reference_id: reference, sender_code: KURIR_SENDER }),
    muteHttpExceptions: true, // gives us the answer of a refusal as well
  }
  for (const pause of [1, 2, 5, 10, 0]) {
    let seconds = pause
    let status = 0
    let answer = {}
    try {
      const response = UrlFetchApp.fetch(`${KURIR_URL}/send`, request)
      status = response.getResponseCode()
      seconds = Number(response.getHeaders()['Retry-After'] ?? pause)
      answer = JSON.parse(response.getContentText())
    } catch (error) {
      console.log(`${reference}: ${error.message}`) // No answer, half of one, or the tunnel's own page.
    }
    if (status === 200 && answer.data) return answer.data.id
    // No answer, too fast, or Kurir is closing: the same call again, a little later.
    if (![0, 200, 429, 500, 502, 503].includes(status)) {
      throw new Error(`${answer.error?.code ?? status}: ${answer.message ?? 'no explanation'}`)
    }
    Utilities.sleep(Math.min(seconds, 60) * 1000)
  }
  throw new Error(`Kurir does not take ${reference} now. Try again later, with the same reference.`)
}

/** An example: every row of the sheet with a number in A, a text in B, a reference in C and nothing in D. */
function sendRows() {
  const sheet = SpreadsheetApp.getActiveSheet()
  sheet.getDataRange().getValues().forEach(([phone, message, reference, done], row) => {
    if (!reference || done) return
    try {
      sheet.getRange(row + 1, 4).setValue(kurirSend(String(phone), message, String(reference)))
    } catch (error) {
      sheet.getRange(row + 1, 5).setValue(error.message) // D stays empty: the next run tries again.
    }
  })
}
