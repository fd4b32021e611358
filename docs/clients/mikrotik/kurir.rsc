# Sends one message from RouterOS 7.13 or newer, such as from Netwatch or the scheduler:
#   $kurirSend phone="6281234567890" message="Internet is down" reference="wan-down-1"
# NOT RUN by the tests: RouterOS is not in Debian. Put it into /system/script as "kurir", and run that after each start.
# The router calls Kurir over the LAN: switch the LAN on in Kurir's settings, and give it a device key of its own.
:global kurirUrl "http://192.168.88.10:7420"
:global kurirKey "kurir_d_..."

# The reference is your own number for this message, without commas: Kurir sends it once, however often it is called.
:global kurirSend do={
  :global kurirUrl
  :global kurirKey
  # Quotes, backslashes and line ends, as JSON wants them.
  :local text ""
  :for i from=0 to=([:len $message] - 1) do={
    :local letter [:pick $message $i]
    :if ($letter = "\"" || $letter = "\\") do={ :set letter ("\\" . $letter) }
    :if ($letter = "\n") do={ :set letter "\\n" }
    :if ($letter = "\r") do={ :set letter "" }
    :set text ($text . $letter)
  }
  :local body "{\"phone\":\"$phone\",\"message\":\"$text\",\"reference_id\":\"$reference\"}"
  :local headers "Content-Type: application/json,Authorization: Bearer $kurirKey,Idempotency-Key: $reference"
  :local state "later"
  :foreach pause in={1; 2; 5; 10; 0} do={
    :if ($state = "later") do={
      :onerror problem in={
        /tool/fetch url="$kurirUrl/send" http-method=post http-header-field=$headers http-data=$body output=none
        :set state "queued"
      } do={
        # 400, 401, 403, 404, 409, 413, 422: Kurir said no, and would again. Its page of refused calls says why.
        # 429, 500, 503 or no connection: the same call again, a little later.
        :if ($problem ~ "status 4" && !($problem ~ "status 429")) do={
          :set state "refused"
          :log error "kurir: $reference is refused: $problem"
        } else={ :delay $pause }
      }
    }
  }
  :if ($state = "later") do={ :log error "kurir: $reference was not taken. Send it again with the same reference." }
  :return $state
}
