unit Kurir;
{ Sends one message: Id := KurirSend('6281234567890', 'Terima kasih, lunas', 'INV-1001');
  Lazarus or Free Pascal 3.2, as the tests run it. Delphi 7 or newer goes through Windows' own MSXML: these lines,
  from $else to $endif, ARE NOT COMPILED by the tests. The environment variable KURIR_KEY holds the API key. }
{$ifdef FPC}{$mode delphi}{$endif}

interface

uses SysUtils;

type
  { Kurir said no: the same call would be refused again. }
  EKurirRefused = class(Exception);
  { Kurir does not answer now: try again later, with the same reference. }
  EKurirNotNow = class(Exception);

{ Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. Reference is your own number
  for this message: Kurir sends it once, however often you ask. Returns Kurir's id of the message. }
function KurirSend(const Phone, Message, Reference: WideString): string;

implementation

uses Classes, {$ifdef FPC} fphttpclient {$else} ComObj, Variants {$endif};

{ A text in JSON, in ASCII alone. }
function JsonText(const Text: WideString): string;
var
  I: Integer;
begin
  Result := '"';
  for I := 1 to Length(Text) do
    case Ord(Text[I]) of
      34, 92: Result := Result + '\' + Char(Ord(Text[I]));
      32, 33, 35..91, 93..126: Result := Result + Char(Ord(Text[I]));
    else
      Result := Result + '\u' + IntToHex(Ord(Text[I]), 4);
    end;
  Result := Result + '"';
end;

{ The first text of this name in Kurir's answer, or ''. }
function JsonMember(const Json, Name: string): string;
var
  First, Last: Integer;
begin
  Result := '';
  First := Pos('"' + Name + '":"', Json);
  if First = 0 then Exit;
  First := First + Length(Name) + 4;
  Last := First;
  while (Last <= Length(Json)) and (Json[Last] <> '"') do
    if Json[Last] = '\' then Inc(Last, 2) else Inc(Last);
  Result := Copy(Json, First, Last - First);
end;

{ One call. Status 0: no answer. After: seconds of Retry-After, or '' without it. }
procedure Call(const Url, Key, Reference, Body: string; var Status: Integer; var Answer, After: string);
{$ifdef FPC}
var
  Http: TFPHTTPClient;
  Reply: TStringStream;
begin
  Http := TFPHTTPClient.Create(nil);
  Reply := TStringStream.Create('');
  try
    Http.ConnectTimeout := 5000;
    Http.IOTimeout := 60000;
    Http.AddHeader('Authorization', 'Bearer ' + Key);
    Http.AddHeader('Content-Type', 'application/json');
    Http.AddHeader('Idempotency-Key', Reference);
    Http.RequestBody := TStringStream.Create(Body);
    Http.HTTPMethod('POST', Url, Reply, []);
    Status := Http.ResponseStatusCode;
    Answer := Reply.DataString;
    After := Http.GetHeader(Http.ResponseHeaders, 'Retry-After');
  finally
    Http.RequestBody.Free;
    Http.Free;
    Reply.Free;
  end;
end;
{$else}
var
  Http: OleVariant;
begin
  Http := CreateOleObject('MSXML2.ServerXMLHTTP.6.0');
  Http.setTimeouts(5000, 5000, 60000, 60000);
  Http.open('POST', Url, False);
  Http.setRequestHeader('Authorization', 'Bearer ' + Key);
  Http.setRequestHeader('Content-Type', 'application/json');
  Http.setRequestHeader('Idempotency-Key', Reference);
  Http.send(Body);
  Status := Http.status;
  Answer := Http.responseText;
  After := VarToStr(Http.getResponseHeader('Retry-After'));
end;
{$endif}

function KurirSend(const Phone, Message, Reference: WideString): string;
const
  Pauses: array[1..5] of Integer = (1, 2, 5, 10, 0);
var
  Url, Sender, Body, Answer, After: string;
  Attempt, Status, Seconds: Integer;
begin
  Url := GetEnvironmentVariable('KURIR_URL');
  if Url = '' then Url := 'http://127.0.0.1:7420';
  Sender := GetEnvironmentVariable('KURIR_SENDER');
  Body := '{"phone":' + JsonText(Phone) + ',"message":' + JsonText(Message) + ',"reference_id":' + JsonText(Reference);
  if Sender <> '' then Body := Body + ',"sender_code":' + JsonText(WideString(Sender));
  Body := Body + '}';
  for Attempt := 1 to 5 do
  begin
    Status := 0;
    After := '';
    try
      Call(Url + '/send', GetEnvironmentVariable('KURIR_KEY'), string(Reference), Body, Status, Answer, After);
    except
      Status := 0; { No answer, or half of one: the reference keeps it from being sent twice. }
    end;
    if Status = 200 then Result := JsonMember(Answer, 'id') else Result := '';
    if Result <> '' then Exit;
    case Status of
      0, 200, 429, 500, 502, 503: { Or too fast, or Kurir is closing: again, a little later. }
        begin
          Seconds := StrToIntDef(Trim(After), Pauses[Attempt]);
          if Seconds > 60 then Seconds := 60;
          Sleep(Seconds * 1000);
        end;
    else
      raise EKurirRefused.Create(JsonMember(Answer, 'code') + ': ' + JsonMember(Answer, 'message'));
    end;
  end;
  raise EKurirNotNow.Create('Kurir at ' + Url + ' does not take ' + string(Reference) +
    ' now. Try again later, with the same reference.');
end;

end.
