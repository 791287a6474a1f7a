@echo off
rem Runs a command of Channelscope without a window, and waits for it: "channelscope-cli --help" lists them.
start "" /b /wait "%~dp0..\..\Channelscope.exe" cli %*
exit /b %errorlevel%
