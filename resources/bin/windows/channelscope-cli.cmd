@echo off
rem Runs a command of Channelscope without a window, and waits for it: "channelscope-cli --help" lists them.
rem Electron ends without a word where a word follows an address, such as https://... or code:^>=500, before "--".
start "" /b /wait "%~dp0..\..\Channelscope.exe" -- cli %*
exit /b %errorlevel%
