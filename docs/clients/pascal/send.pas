program Send;
{ fpc send.pas, then ./send <phone> <message> <reference>; see Kurir.pas. }
{$ifdef FPC}{$mode delphi}{$endif}
{$apptype console}

uses SysUtils, Kurir;

begin
  if ParamCount <> 3 then
  begin
    WriteLn(ErrOutput, 'Usage: send <phone> <message> <reference>');
    Halt(1);
  end;
  try
    WriteLn(KurirSend(UTF8Decode(ParamStr(1)), UTF8Decode(ParamStr(2)), UTF8Decode(ParamStr(3))));
  except
    on Problem: Exception do
    begin
      WriteLn(ErrOutput, Problem.Message);
      Halt(1);
    end;
  end;
end.
